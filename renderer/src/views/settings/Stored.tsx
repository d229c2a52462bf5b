import type { ReactNode } from 'react';
import type { SettingsFacts, Snapshot } from '../../../../src/bridge/index.js';
import type { Read } from '../../bridge/use-read.js';
import { ProgressBar } from '../../components/ProgressBar.js';
import { Section } from '../../components/Section.js';
import { useWords } from '../../words/index.js';
import { DataPlaceRow } from './DataPlaceRow.js';
import { SecretsRow } from './SecretsRow.js';

interface StoredProps {
  readonly settings: Read<SettingsFacts>;
  readonly snapshot: Snapshot;
}

/** What is kept on this computer, where, and how much of it there is. */
export function Stored({ settings: { value }, snapshot }: StoredProps): ReactNode {
  const { t, format } = useWords();
  const waiting = snapshot.connectors
    .flatMap(({ accounts }) => accounts)
    .reduce((sum, { queue }) => sum + queue.pending, 0);
  return (
    <Section title={t('settings.stored.title')}>
      <div className="panel">
        <SecretsRow snapshot={snapshot} />
        {value !== undefined && (
          <>
            <div className="set">
              <div className="grow">
                <p>{t('settings.stored.files')}</p>
                <p className="help">{t('settings.stored.files_help')}</p>
              </div>
              <div className="meter">
                <ProgressBar
                  label={t('settings.stored.files')}
                  value={value.storage.files}
                  max={value.filesLimit}
                  low={value.storage.files > LOW_SHARE * value.filesLimit}
                />
                <span className="small num nowrap">
                  {t('settings.stored.files_of', {
                    used: format.bytes(value.storage.files),
                    limit: format.bytes(value.filesLimit),
                  })}
                </span>
              </div>
            </div>
            <Amount
              label={t('settings.stored.waiting')}
              help={t('settings.stored.waiting_help', { ttl: format.duration(value.pendingTtlMs) })}
              amount={t('settings.stored.waiting_count', { n: waiting })}
            />
            <Amount
              label={t('settings.stored.database')}
              help={t('settings.stored.database_help')}
              amount={format.bytes(value.storage.database)}
            />
            <Amount
              label={t('settings.stored.logs')}
              help={t('settings.stored.logs_help')}
              amount={format.bytes(value.storage.logs)}
            />
          </>
        )}
        <DataPlaceRow dataDir={snapshot.dataDir} freeBytes={snapshot.storage.freeBytes} />
      </div>
    </Section>
  );
}

/** Beyond this part of the room for files, the next ones may not fit. */
const LOW_SHARE = 0.9;

interface AmountProps {
  readonly label: string;
  readonly help: string;
  readonly amount: string;
}

function Amount({ label, help, amount }: AmountProps): ReactNode {
  return (
    <div className="set">
      <div className="grow">
        <p>{label}</p>
        <p className="help">{help}</p>
      </div>
      <span className="small num nowrap">{amount}</span>
    </div>
  );
}
