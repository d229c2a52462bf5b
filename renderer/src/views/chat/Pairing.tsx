import { type SubmitEvent, type ReactNode, useState } from 'react';
import { useCommand } from '../../bridge/index.js';
import { Button } from '../../components/Button.js';
import { Empty } from '../../components/Empty.js';
import { Field } from '../../components/Field.js';
import { Icon } from '../../components/Icon.js';
import { TextInput } from '../../components/TextInput.js';
import { useRefusalWords } from '../../components/use-refusal-words.js';
import { LOCAL } from '../../shell/accounts-of.js';
import { useWords } from '../../words/index.js';

/** Opens the local chat: one click, and a name if the person wants one. */
export function Pairing({ onOpen }: { readonly onOpen: () => void }): ReactNode {
  const { t } = useWords();
  const refusalWords = useRefusalWords();
  const { run, busy, refusal } = useCommand('sign-in');
  const [name, setName] = useState('');
  const [failure, setFailure] = useState<string>();
  /** The account shows in the next snapshot; until then the button must not open a second one. */
  const [opened, setOpened] = useState(false);

  async function open(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const typed = name.trim();
    const outcome = await run({ connector: LOCAL, input: typed === '' ? {} : { display_name: typed } });
    if (!outcome.ok) return;
    const { result } = outcome;
    const failed = result.status === 'failed' || result.status === 'expired' || result.status === 'canceled';
    setFailure(failed ? result.code : undefined);
    setOpened(!failed);
    if (!failed) onOpen();
  }

  const error = refusal !== undefined ? refusalWords(refusal) : failure && t('chat.pair.failed', { code: failure });
  return (
    <Empty place="open" picture={<Icon name="chat" />} title={t('chat.pair.title')}>
      <p>{t('chat.pair.text')}</p>
      <form className="form pairing" onSubmit={(event) => void open(event)}>
        <Field label={t('chat.pair.name')} optional help={t('chat.pair.name_help')} error={error}>
          {(ids) => <TextInput {...ids} name="display_name" value={name} maxLength={80} onText={setName} />}
        </Field>
        <div className="acts">
          <Button kind="primary" submit busy={busy || opened}>
            {busy || opened ? t('chat.pair.opening') : t('chat.pair.open')}
          </Button>
        </div>
      </form>
    </Empty>
  );
}
