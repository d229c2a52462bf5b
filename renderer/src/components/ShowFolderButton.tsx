import type { ReactNode } from 'react';
import { useShellCommand } from '../bridge/index.js';
import { useWords } from '../words/index.js';
import { Button } from './Button.js';
import { useTellRefusal } from './use-tell-refusal.js';

/** Opens the data folder, where the log lies too, in the system's own file manager. Only the desktop app can. */
export function ShowFolderButton({ small = false }: { readonly small?: boolean }): ReactNode {
  const { t } = useWords();
  const tellRefusal = useTellRefusal();
  const show = useShellCommand('show-data-dir');
  return (
    <Button small={small} busy={show.busy} onClick={() => void show.run({}).then(tellRefusal)}>
      {t('folder.show')}
    </Button>
  );
}
