import type { ReactNode } from 'react';
import type { Snapshot } from '../../../src/bridge/index.js';
import { useCommand } from '../bridge/index.js';
import { Button } from '../components/Button.js';
import { useTellRefusal } from '../components/use-tell-refusal.js';
import { useWords } from '../words/index.js';

/** Stops delivery to agents, and lets it go on. */
export function PauseButton({ snapshot: { paused } }: { readonly snapshot: Snapshot }): ReactNode {
  const { t } = useWords();
  const tellRefusal = useTellRefusal();
  const { run, busy } = useCommand('pause');
  return (
    <Button
      kind="quiet"
      small
      icon={paused ? 'play' : 'pause'}
      busy={busy}
      onClick={() => void run({ paused: !paused }).then(tellRefusal)}
    >
      {paused ? t('foot.resume') : t('foot.pause')}
    </Button>
  );
}
