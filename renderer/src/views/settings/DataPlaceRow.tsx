import type { ReactNode } from 'react';
import { useShellFacts } from '../../bridge/index.js';
import { Button } from '../../components/Button.js';
import { ShowFolderButton } from '../../components/ShowFolderButton.js';
import { useCopy } from '../../components/use-copy.js';
import { useWords } from '../../words/index.js';

interface DataPlaceRowProps {
  readonly dataDir: string;
  /** Bytes left on its disk, where the system tells. */
  readonly freeBytes: number | undefined;
}

/** Where the data lies. */
export function DataPlaceRow({ dataDir, freeBytes }: DataPlaceRowProps): ReactNode {
  const { t, format } = useWords();
  const copy = useCopy();
  const onDesktop = useShellFacts().kind === 'desktop';

  return (
    <div className="set stack flat">
      <div className="grow">
        <p>{t('settings.stored.place')}</p>
        <p className="help mono">{dataDir}</p>
        {freeBytes !== undefined && (
          <p className="help num">{t('settings.stored.free', { size: format.bytes(freeBytes) })}</p>
        )}
      </div>
      {onDesktop ? (
        <ShowFolderButton small />
      ) : (
        <Button small icon="copy" onClick={() => copy(dataDir, t('settings.stored.place_copied'))}>
          {t('settings.stored.copy_place')}
        </Button>
      )}
    </div>
  );
}
