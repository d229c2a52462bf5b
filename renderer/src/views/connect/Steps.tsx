import type { ReactNode } from 'react';
import type { ConnectorSnapshot } from '../../../../src/bridge/index.js';
import { Sign } from '../../components/Sign.js';
import { useWords } from '../../words/index.js';
import { botIn } from './bot-in.js';
import { stepsOf } from './steps.js';

interface StepsProps {
  readonly connector: ConnectorSnapshot;
  /** What the code says. */
  readonly text: string | undefined;
  readonly scanned: boolean;
}

/** What a person does on the phone, one after another. */
export function Steps({ connector, text, scanned }: StepsProps): ReactNode {
  const { t, network: nameOf } = useWords();
  const { steps, toScan, afterScan } = stepsOf(connector.name);
  const values = { network: nameOf(connector.name, connector.label), bot: botIn(text) ?? 'Telegram' };
  const current = scanned ? afterScan : toScan;
  return (
    <ol className="steps">
      {steps.map(([title, detail], index) => {
        const done = scanned && index < current;
        return (
          <li key={title} className={done ? 'done' : undefined} aria-current={index === current ? 'step' : undefined}>
            <span className="no">{done ? <Sign name="ok" tone="ok" /> : index + 1}</span>
            <div className="what">
              <p className="medium">{t(title, values)}</p>
              <p>{t(detail, values)}</p>
            </div>
          </li>
        );
      })}
    </ol>
  );
}
