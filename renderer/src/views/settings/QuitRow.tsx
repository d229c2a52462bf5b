import type { ReactNode } from 'react';
import { useShellCommand } from '../../bridge/index.js';
import { Button } from '../../components/Button.js';
import { useTellRefusal } from '../../components/use-tell-refusal.js';
import { useWords } from '../../words/index.js';

/** The way out: a desktop without a tray has no other one than this. */
export function QuitRow(): ReactNode {
  const { t } = useWords();
  const tellRefusal = useTellRefusal();
  const { run, busy } = useShellCommand('quit');
  return (
    <div className="set">
      <div className="grow">
        <p>{t('settings.about.quit_line')}</p>
        <p className="help">{t('settings.about.quit_help')}</p>
      </div>
      <Button busy={busy} onClick={() => void run({}).then(tellRefusal)}>
        {t('settings.about.quit')}
      </Button>
    </div>
  );
}
