import { type ReactNode, type SyntheticEvent, useState } from 'react';
import { asRefusal } from '../../bridge/client.js';
import { Button } from '../../components/Button.js';
import { Field } from '../../components/Field.js';
import { TextInput } from '../../components/TextInput.js';
import { useRefusalWords } from '../../components/use-refusal-words.js';
import { useWords } from '../../words/index.js';

interface VerifyCodeProps {
  /** What the host calls it. */
  readonly field: string;
  readonly network: string;
  /** The last one was not accepted. */
  readonly wrong: boolean;
  /** It came up by itself, so it does not take the focus from whatever the person is at. */
  readonly unasked?: boolean;
  /** @throws CommandRefused */
  readonly onCode: (code: Readonly<Record<string, string>>) => Promise<void>;
}

/** The digits that the phone shows: one field of free length, and paste works. */
export function VerifyCode({ field, network, wrong, unasked = false, onCode }: VerifyCodeProps): ReactNode {
  const { t } = useWords();
  const refusalWords = useRefusalWords();
  const [digits, setDigits] = useState('');
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<string>();
  const rejected = wrong && digits === '' ? t('signin.verify_code_wrong', { network }) : undefined;

  async function submit(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    try {
      await onCode({ [field]: digits });
      setDigits('');
    } catch (error) {
      setRefused(refusalWords(asRefusal(error)));
    } finally {
      setBusy(false);
    }
  }

  return (
    <form className="form" onSubmit={(event) => void submit(event)}>
      <Field label={t('code.label')} help={t('code.help', { network })} error={refused ?? rejected}>
        {(ids) => (
          <TextInput
            {...ids}
            code
            autoFocus={!unasked}
            inputMode="numeric"
            autoComplete="one-time-code"
            value={digits}
            onText={(text) => {
              setDigits(text.replace(/\D/g, ''));
              setRefused(undefined);
            }}
          />
        )}
      </Field>
      <div className="acts">
        <Button submit kind="primary" busy={busy} disabled={digits === ''}>
          {t('code.continue')}
        </Button>
      </div>
    </form>
  );
}
