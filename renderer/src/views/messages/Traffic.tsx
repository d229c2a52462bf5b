import type { ReactNode } from 'react';
import type { Snapshot } from '../../../../src/bridge/index.js';
import { useNow } from '../../bridge/index.js';
import { useRead } from '../../bridge/use-read.js';
import { Panel } from '../../components/Panel.js';
import { useWords } from '../../words/index.js';
import { countersOf } from './counters.js';
import { DayPlot } from './DayPlot.js';
import { accountsOf } from './groups.js';
import { plotOf } from './plot.js';
import { Stats } from './Stats.js';

/** The plot is asked for again at least this often, so that its end is now; milliseconds. */
const FRESH_MS = 60_000;

/** What passed through: the counters, and the last 24 hours as a picture. */
export function Traffic({ snapshot }: { readonly snapshot: Snapshot }): ReactNode {
  const { t } = useWords();
  const now = useNow();
  const counters = countersOf(snapshot);
  const waiting = accountsOf(snapshot).reduce((sum, { account }) => sum + account.queue.pending, 0);
  const mark = JSON.stringify([counters, waiting, Math.floor(now / FRESH_MS)]);
  const { value, refusal } = useRead(mark, (bridge) => bridge.call('history', {}));
  const plot = value && plotOf(value);
  return (
    <Panel className="late" aria-label={t('messages.traffic')}>
      <Stats counters={counters} />
      {plot !== undefined && <DayPlot plot={plot} waiting={waiting} />}
      {plot === undefined && refusal === undefined && <div className="plot blank" aria-hidden="true" />}
      {plot === undefined && refusal !== undefined && <p className="foot">{t('messages.plot.failed')}</p>}
    </Panel>
  );
}
