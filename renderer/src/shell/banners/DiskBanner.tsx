import type { ReactNode } from 'react';
import type { StorageSnapshot } from '../../../../src/bridge/index.js';
import { useShellFacts } from '../../bridge/index.js';
import { Banner } from '../../components/Banner.js';
import { ShowFolderButton } from '../../components/ShowFolderButton.js';
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
  const full = code.endsWith('disk_full');
  const title = full
    ? t('disk.title')
    : code.endsWith('read_only')
      ? t('disk.read_only.title')
      : t('disk.failed.title');
  const text = freeBytes === undefined ? t('disk.text_unknown') : t('disk.text', { free: format.bytes(freeBytes) });
  return (
    <Banner alert tone="danger" sign="danger" title={title} actions={kind === 'desktop' && <ShowFolderButton />}>
      <p>{full ? text : t('disk.failed.text')}</p>
    </Banner>
  );
}
