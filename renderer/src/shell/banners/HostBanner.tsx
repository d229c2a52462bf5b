import { type ReactNode, useState } from 'react';
import type { HostStage } from '../../../../src/bridge/index.js';
import { useWallNow, useShellCommand, useShellFacts } from '../../bridge/index.js';
import { Banner } from '../../components/Banner.js';
import { Button } from '../../components/Button.js';
import { ShowFolderButton } from '../../components/ShowFolderButton.js';
import { useDelayed } from '../../components/use-delayed.js';
import { useTellRefusal } from '../../components/use-tell-refusal.js';
import { useWords } from '../../words/index.js';
import { PassphraseDialog } from '../dialogs/PassphraseDialog.js';

/** A start that takes longer says what it waits for; milliseconds. */
const LONG_MS = 5000;

type Failed = Extract<HostStage, { stage: 'failed' }>;
type Unreachable = Extract<HostStage, { stage: 'unreachable' }>;

/** The host of this window is not running, or not in reach. */
export function HostBanner({ host }: { readonly host: Exclude<HostStage, { stage: 'running' }> }): ReactNode {
  const { t } = useWords();
  switch (host.stage) {
    case 'starting':
      return <Starting />;
    case 'stopping':
      return (
        <Banner tone="info" sign="busy" title={t('host.stopping.title')}>
          <p>{t('host.stopping.text')}</p>
        </Banner>
      );
    case 'failed':
      return <FailedBanner host={host} />;
    case 'unreachable':
      return <UnreachableBanner host={host} />;
  }
}

function Starting(): ReactNode {
  const { t } = useWords();
  const long = useDelayed(LONG_MS);
  if (!long) return null;
  return (
    <Banner tone="info" sign="busy" title={t('host.starting.title')}>
      <p>{t('host.starting.long')}</p>
    </Banner>
  );
}

function FailedBanner({ host }: { readonly host: Failed }): ReactNode {
  const { t, code, format } = useWords();
  const now = useWallNow();
  const shell = useShellFacts();
  const tellRefusal = useTellRefusal();
  const restart = useShellCommand('restart-host');
  const [asking, setAsking] = useState(false);
  const passphrase = host.code.startsWith('passphrase_');
  return (
    <Banner
      alert
      tone={passphrase ? 'attention' : 'danger'}
      sign={passphrase ? 'locked' : 'danger'}
      title={
        host.code === 'passphrase_wrong'
          ? t('keychain.file_wrong.title')
          : passphrase
            ? t('keychain.file_locked.title')
            : t('host.failed.title')
      }
      actions={
        shell.kind === 'desktop' && (
          <>
            {passphrase && (
              <Button kind="primary" onClick={() => setAsking(true)}>
                {t('keychain.enter')}
              </Button>
            )}
            <Button
              kind={passphrase ? 'plain' : 'primary'}
              busy={restart.busy}
              onClick={() => void restart.run({}).then(tellRefusal)}
            >
              {t('host.failed.start')}
            </Button>
            {!passphrase && <ShowFolderButton />}
          </>
        )
      }
    >
      <p>{code('host.code', host.code)}</p>
      {host.code === 'config_invalid' && <p className="mono">{host.message}</p>}
      {!passphrase && <p>{t('host.failed.since', { time: format.time(host.since, now), code: host.code })}</p>}
      {asking && <PassphraseDialog onClose={() => setAsking(false)} />}
    </Banner>
  );
}

function UnreachableBanner({ host: { last, since } }: { readonly host: Unreachable }): ReactNode {
  const { t, format } = useWords();
  const now = useWallNow();
  return (
    <Banner tone="attention" sign="wait" title={t('host.unreachable.title')}>
      <p>
        {last === undefined
          ? t('host.unreachable.never')
          : t('host.unreachable.text', { time: format.time(since, now) })}
      </p>
    </Banner>
  );
}
