import type { ReactNode } from 'react';
import { useShellCommand, useShellFacts } from '../../bridge/index.js';
import { Button } from '../../components/Button.js';
import { useCopy } from '../../components/use-copy.js';
import { useTellRefusal } from '../../components/use-tell-refusal.js';
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
  const tellRefusal = useTellRefusal();
  const show = useShellCommand('show-data-dir');
  const onDesktop = useShellFacts().kind === 'desktop';

  async function open(): Promise<void> {
    tellRefusal(await show.run({}));
  }

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
        <Button small disabled={show.busy} onClick={() => void open()}>
          {t('settings.stored.show_place')}
        </Button>
      ) : (
        <Button small icon="copy" onClick={() => copy(dataDir, t('settings.stored.place_copied'))}>
          {t('settings.stored.copy_place')}
        </Button>
      )}
    </div>
  );
}
