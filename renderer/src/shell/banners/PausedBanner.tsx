import type { ReactNode } from 'react';
import { useCommand } from '../../bridge/index.js';
import { Banner } from '../../components/Banner.js';
import { Button } from '../../components/Button.js';
import { useTellRefusal } from '../../components/use-tell-refusal.js';
import { useWords } from '../../words/index.js';

/** Delivery to agents is paused by the person. */
export function PausedBanner(): ReactNode {
  const { t } = useWords();
  const tellRefusal = useTellRefusal();
  const { run, busy } = useCommand('pause');
  return (
    <Banner
      tone="idle"
      sign="paused"
      title={t('paused.title')}
      actions={
        <Button kind="primary" busy={busy} onClick={() => void run({ paused: false }).then(tellRefusal)}>
          {t('paused.resume')}
        </Button>
      }
    >
      <p>{t('paused.text')}</p>
    </Banner>
  );
}
