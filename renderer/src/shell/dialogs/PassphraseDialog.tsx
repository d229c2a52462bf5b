import { type ReactNode, type SyntheticEvent, useState } from 'react';
import { useShellCommand } from '../../bridge/index.js';
import { Button } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { Field } from '../../components/Field.js';
import { SecretInput } from '../../components/SecretInput.js';
import { useRefusalWords } from '../../components/use-refusal-words.js';
import { useWords } from '../../words/index.js';

/** Asks for the passphrase of the encrypted file that holds the sign-ins. */
export function PassphraseDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { t } = useWords();
  const refusalWords = useRefusalWords();
  const { run, busy, refusal, reset } = useShellCommand('use-secret-file');
  const [passphrase, setPassphrase] = useState('');

  async function submit(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    if ((await run({ passphrase })).ok) onClose();
  }

  return (
    <Dialog title={t('keychain.passphrase.title')} onClose={onClose}>
      <form className="form" onSubmit={(event) => void submit(event)}>
        <p>{t('keychain.passphrase.text')}</p>
        <Field label={t('keychain.passphrase')} error={refusal && refusalWords(refusal)}>
          {(ids) => (
            <SecretInput
              {...ids}
              autoFocus
              showLabel={t('keychain.passphrase.show')}
              hideLabel={t('keychain.passphrase.hide')}
              value={passphrase}
              onText={(text) => {
                setPassphrase(text);
                reset();
              }}
            />
          )}
        </Field>
        <div className="acts">
          <Button onClick={onClose}>{t('keychain.passphrase.later')}</Button>
          <Button submit kind="primary" busy={busy} disabled={passphrase === ''}>
            {t('keychain.passphrase.open')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
