import { type ReactNode, useId } from 'react';
import { useShellCommand } from '../../bridge/index.js';
import { Button } from '../../components/Button.js';
import { CopyLine } from '../../components/CopyLine.js';
import { useTellRefusal } from '../../components/use-tell-refusal.js';
import { useWords } from '../../words/index.js';
import { botIn } from './bot-in.js';

interface LinkBesideProps {
  /** The same as the code says. */
  readonly text: string;
  readonly network: string;
}

/** The way in without scanning: the code's content as a link to copy, or to open where this computer has the app. */
export function LinkBeside({ text, network }: LinkBesideProps): ReactNode {
  const { t } = useWords();
  const helpId = useId();
  const tellRefusal = useTellRefusal();
  const { run, busy } = useShellCommand('open-link');
  return (
    <div className="field">
      <span className="label">{t('link.title')}</span>
      <p className="help" id={helpId}>
        {t('link.help', { network })}
      </p>
      <CopyLine label={t('link.label')} text={text} aria-describedby={helpId}>
        {botIn(text) !== undefined && (
          <Button icon="external" busy={busy} onClick={() => void run({ url: text }).then(tellRefusal)}>
            {t('link.open')}
          </Button>
        )}
      </CopyLine>
    </div>
  );
}
