import type { ReactNode } from 'react';
import { type Words, useWords } from '../../words/index.js';
import { type Plot, PLOT_AXIS, PLOT_HEIGHT, PLOT_TICKS, PLOT_WIDTH, type PlotRect } from './plot.js';

interface DayPlotProps {
  readonly plot: Plot;
  /** How many wait right now. */
  readonly waiting: number;
}

const MINUTE_MS = 60_000;
const HALF_HOUR_MS = 30 * MINUTE_MS;

/** The last 24 hours: what came in stands up, what went out hangs down, what waited is a line over both. */
export function DayPlot({ plot, waiting }: DayPlotProps): ReactNode {
  const words = useWords();
  const { t, format } = words;
  const bucket = bucketWords(plot, words);
  return (
    <div className="plot">
      <div className="key">
        <span>
          <Swatch>
            <rect className="in" width="10" height="10" rx="2" />
          </Swatch>
          {t('messages.plot.in')} <b>{format.number(plot.totalIn)}</b>
        </span>
        <span>
          <Swatch>
            <rect className="out" width="10" height="10" rx="2" />
          </Swatch>
          {t('messages.plot.out')} <b>{format.number(plot.totalOut)}</b>
        </span>
        <span>
          <Swatch>
            <path className="hold" d="M1 5H9" />
          </Swatch>
          {t('messages.plot.waiting')} <b>{format.number(waiting)}</b>
        </span>
        <span className="tx-3">{t('messages.plot.span', { bucket })}</span>
      </div>
      <div className="field-area">
        <div className="y" aria-hidden="true">
          <span>{format.number(plot.tick)}</span>
          <span>{format.number(0)}</span>
          <span>{format.number(plot.tick)}</span>
        </div>
        <svg
          className="chart"
          viewBox={`0 0 ${PLOT_WIDTH} ${PLOT_HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={sentence(plot, waiting, bucket, words)}
        >
          <path className="grid" d={PLOT_TICKS.map((y) => `M0 ${y}H${PLOT_WIDTH}`).join('')} />
          <Bars className="in" bars={plot.inbound} />
          <Bars className="out" bars={plot.outbound} />
          <path className="axis" d={`M0 ${PLOT_AXIS}H${PLOT_WIDTH}`} />
          <path className="hold" d={plot.waiting} />
          {plot.end !== undefined && <path className="dot" d={`M${plot.end.x} ${plot.end.y}h0`} />}
        </svg>
        <div className="x" aria-hidden="true">
          {plot.times.map((at) => (
            <span key={at}>{format.clock(at)}</span>
          ))}
          <span>{t('messages.plot.now')}</span>
        </div>
      </div>
    </div>
  );
}

function Swatch({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <svg className="sw" viewBox="0 0 10 10" aria-hidden="true" focusable="false">
      {children}
    </svg>
  );
}

function Bars({ className, bars }: { readonly className: string; readonly bars: readonly PlotRect[] }): ReactNode {
  return bars.map((bar) => <rect key={bar.x} className={className} {...bar} />);
}

function bucketWords({ bucketMs }: Plot, { t }: Words): string {
  if (bucketMs === HALF_HOUR_MS) return t('messages.plot.half_hour');
  return t('messages.plot.minutes', { n: Math.round(bucketMs / MINUTE_MS) });
}

function sentence(plot: Plot, now: number, bucket: string, { t, format }: Words): string {
  const flow = { bucket, in: plot.totalIn, out: plot.totalOut };
  if (plot.peak === undefined) return t('messages.plot.sentence_calm', flow);
  return t('messages.plot.sentence', { ...flow, peak: plot.peak.waiting, at: format.clock(plot.peak.at), now });
}
