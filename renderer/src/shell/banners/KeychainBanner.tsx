import { type ReactNode, useState } from 'react';
import type { SecretsSnapshot, ShellFacts } from '../../../../src/bridge/index.js';
import { useCommand } from '../../bridge/index.js';
import { Banner } from '../../components/Banner.js';
import { Button } from '../../components/Button.js';
import { useToast } from '../../components/toasts.js';
import { useRefusalWords } from '../../components/use-refusal-words.js';
import { useWords, type Words } from '../../words/index.js';
import { PassphraseDialog } from '../dialogs/PassphraseDialog.js';
import { WeakerStorageDialog } from '../dialogs/WeakerStorageDialog.js';

interface KeychainBannerProps {
  readonly secrets: SecretsSnapshot;
  readonly shell: ShellFacts;
}

/** Sign-ins can't be read: the keychain is locked, missing or silent, or the encrypted file waits for its passphrase. */
export function KeychainBanner({ secrets, shell }: KeychainBannerProps): ReactNode {
  const { t } = useWords();
  const toast = useToast();
  const refusalWords = useRefusalWords();
  const check = useCommand('check-secrets');
  const [asking, setAsking] = useState(false);
  const { title, text } = wordsOf(secrets, t);
  const isFile = secrets.kind === 'file';
  const isLocked = secrets.state === 'locked';

  async function checkNow(): Promise<void> {
    const outcome = await check.run({});
    if (!outcome.ok) toast({ text: refusalWords(outcome.refusal) });
    else if (outcome.result.state === 'locked') toast({ text: t('keychain.still_locked') });
  }

  return (
    <Banner
      tone="attention"
      sign="locked"
      title={title}
      actions={
        <>
          {isFile && isLocked && shell.kind === 'desktop' ? (
            <Button kind="primary" onClick={() => setAsking(true)}>
              {t('keychain.enter')}
            </Button>
          ) : (
            <Button kind="primary" busy={check.busy} onClick={() => void checkNow()}>
              {isLocked && !isFile ? t('keychain.unlock') : t('keychain.check')}
            </Button>
          )}
          {!isFile && shell.kind === 'desktop' && (
            <Button onClick={() => setAsking(true)}>{t('keychain.other_ways')}</Button>
          )}
        </>
      }
    >
      <p>{text}</p>
      {!isFile && secrets.state === 'absent' && shell.kind === 'browser' && <p>{t('keychain.absent.browser')}</p>}
      {asking && isFile && <PassphraseDialog onClose={() => setAsking(false)} />}
      {asking && !isFile && <WeakerStorageDialog onClose={() => setAsking(false)} />}
    </Banner>
  );
}

function wordsOf(
  { kind, state, code }: SecretsSnapshot,
  t: Words['t'],
): { readonly title: string; readonly text: string } {
  if (kind === 'file') {
    if (code === 'wrong_passphrase')
      return { title: t('keychain.file_wrong.title'), text: t('keychain.file_wrong.text') };
    return state === 'locked'
      ? { title: t('keychain.file_locked.title'), text: t('keychain.file_locked.text') }
      : { title: t('keychain.file_failed.title'), text: t('keychain.file_failed.text') };
  }
  switch (state) {
    case 'absent':
      return {
        title: t('keychain.absent.title'),
        text: code === 'keychain_library_missing' ? t('keychain.library.text') : t('keychain.absent.text'),
      };
    case 'failed':
      return { title: t('keychain.failed.title'), text: t('keychain.failed.text') };
    case 'locked':
    case 'ready':
      return { title: t('keychain.locked.title'), text: t('keychain.locked.text') };
  }
}
