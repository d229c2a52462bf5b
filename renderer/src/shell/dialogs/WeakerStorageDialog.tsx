import { type ReactNode, type SyntheticEvent, useState } from 'react';
import { MIN_NEW_PASSPHRASE } from '../../../../src/bridge/limits.js';
import { useShellCommand } from '../../bridge/index.js';
import { Button } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { Field } from '../../components/Field.js';
import { SecretInput } from '../../components/SecretInput.js';
import { useRefusalWords } from '../../components/use-refusal-words.js';
import { useWords } from '../../words/index.js';

/** Asks for consent before sign-ins are kept in an encrypted file instead of a keychain, and for its passphrase. */
export function WeakerStorageDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { t } = useWords();
  const refusalWords = useRefusalWords();
  const { run, busy, refusal } = useShellCommand('use-secret-file');
  const [passphrase, setPassphrase] = useState('');
  const [again, setAgain] = useState('');
  const [tried, setTried] = useState(false);
  const short = passphrase.length < MIN_NEW_PASSPHRASE;
  const differs = passphrase !== again;
  const labels = { showLabel: t('keychain.passphrase.show'), hideLabel: t('keychain.passphrase.hide') };

  async function submit(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    setTried(true);
    if (!short && !differs && (await run({ passphrase })).ok) onClose();
  }

  return (
    <Dialog title={t('keychain.dialog.title')} onClose={onClose} asks>
      <form className="form" onSubmit={(event) => void submit(event)}>
        <p>{t('keychain.dialog.text')}</p>
        <Field
          label={t('keychain.passphrase')}
          help={t('keychain.passphrase_help')}
          error={tried && short ? t('keychain.passphrase_short') : refusal && refusalWords(refusal)}
        >
          {(ids) => (
            <SecretInput {...ids} {...labels} autoComplete="new-password" value={passphrase} onText={setPassphrase} />
          )}
        </Field>
        <Field
          label={t('keychain.passphrase_again')}
          error={tried && !short && differs ? t('keychain.passphrase_differs') : undefined}
        >
          {(ids) => <SecretInput {...ids} {...labels} autoComplete="new-password" value={again} onText={setAgain} />}
        </Field>
        <div className="acts">
          <Button onClick={onClose}>{t('keychain.dialog.keep')}</Button>
          <Button submit kind="primary" busy={busy}>
            {t('keychain.dialog.use')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
