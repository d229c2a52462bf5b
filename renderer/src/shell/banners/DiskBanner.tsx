import type { ReactNode } from 'react';
import type { StorageSnapshot } from '../../../../src/bridge/index.js';
import { useShellCommand, useShellFacts } from '../../bridge/index.js';
import { Banner } from '../../components/Banner.js';
import { Button } from '../../components/Button.js';
import { useTellRefusal } from '../../components/use-tell-refusal.js';
import { useWords } from '../../words/index.js';

interface DiskBannerProps {
  readonly storage: StorageSnapshot;
  /** Why the disk refuses writes. */
  readonly code: string;
}

/** Nothing is fetched while the disk refuses writes; it goes on by itself. */
export function DiskBanner({ storage: { freeBytes }, code }: DiskBannerProps): ReactNode {
  const { t, format } = useWords();
  const { kind } = useShellFacts();
  const tellRefusal = useTellRefusal();
  const show = useShellCommand('show-data-dir');
  const full = code.endsWith('disk_full');
  const title = full
    ? t('disk.title')
    : code.endsWith('read_only')
      ? t('disk.read_only.title')
      : t('disk.failed.title');
  const text = freeBytes === undefined ? t('disk.text_unknown') : t('disk.text', { free: format.bytes(freeBytes) });
  return (
    <Banner
      alert
      tone="danger"
      sign="danger"
      title={title}
      actions={
        kind === 'desktop' && (
          <Button disabled={show.busy} onClick={() => void show.run({}).then(tellRefusal)}>
            {t('disk.show')}
          </Button>
        )
      }
    >
      <p>{full ? text : t('disk.failed.text')}</p>
    </Banner>
  );
}
