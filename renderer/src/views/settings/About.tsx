import type { ReactNode } from 'react';
import type { UpdateFacts } from '../../../../src/bridge/index.js';
import { useNow, useShellCommand, useShellFacts } from '../../bridge/index.js';
import { Button } from '../../components/Button.js';
import { Section } from '../../components/Section.js';
import { useTellRefusal } from '../../components/use-tell-refusal.js';
import { useWords, type Words } from '../../words/index.js';
import { QuitRow } from './QuitRow.js';

interface AboutProps {
  /** Of the host; undefined while it does not run. */
  readonly version: string | undefined;
  readonly startedAt: number | undefined;
}

/** Which program this is, since when it runs, and how it gets newer. */
export function About({ version, startedAt }: AboutProps): ReactNode {
  const words = useWords();
  const { t, format } = words;
  const now = useNow();
  const { kind, update } = useShellFacts();
  const tellRefusal = useTellRefusal();
  const install = useShellCommand('install-update');
  return (
    <Section title={t('settings.about.title')}>
      <div className="panel">
        {version !== undefined && (
          <div className="set">
            <div className="grow">
              <p>{t('settings.about.version_line', { version })}</p>
              <p className="help num">
                {t('settings.about.protocol')}
                {startedAt !== undefined && ` · ${t('settings.about.started', { time: format.time(startedAt, now) })}`}
              </p>
            </div>
          </div>
        )}
        <div className="set stack flat">
          <div className="grow">
            <p>{t('settings.about.updates')}</p>
            <p className="help">
              {kind === 'browser' ? t('settings.about.updates_browser') : updateWords(update, now, words)}
            </p>
          </div>
          {update.status === 'off' && kind === 'desktop' && (
            <span className="small tx-2 nowrap">{t('settings.about.updates_off_state')}</span>
          )}
          {update.status === 'ready' && (
            <Button kind="primary" busy={install.busy} onClick={() => void install.run({}).then(tellRefusal)}>
              {t('settings.about.install')}
            </Button>
          )}
        </div>
        {kind === 'desktop' && <QuitRow />}
      </div>
    </Section>
  );
}

function updateWords(update: UpdateFacts, now: number, { t, format }: Words): string {
  switch (update.status) {
    case 'off':
      return t('settings.about.updates_off');
    case 'idle':
      return update.checkedAt === undefined
        ? t('settings.about.updates_never')
        : t('settings.about.updates_idle', { time: format.time(update.checkedAt, now) });
    case 'downloading':
      return t('settings.about.updates_downloading', { version: update.version });
    case 'ready':
      return t('settings.about.updates_ready', { version: update.version });
    case 'failed':
      return t('settings.about.updates_failed', { code: update.code });
  }
}
