import type { Finding } from '../../bridge/index.js';
import { buildFacts } from '../build-facts.js';
import { finding } from './finding.js';

/** Sign-ins and TLS begin to fail somewhere beyond this; milliseconds. */
const MAX_CLOCK_SKEW_MS = 5 * 60_000;
const MINUTE_MS = 60_000;

/** Compares with the build's own time and, where networks answered, with theirs. All Unix ms. */
export function checkClock(now: number, networkTimes: readonly number[]): Finding {
  const built = buildTime();
  if (built !== undefined && now < built) return finding('clock', 'broken', 'clock_before_build');
  const skews = networkTimes.map((time) => Math.abs(time - now));
  const skew = skews.length === 0 ? 0 : Math.min(...skews);
  if (skew > MAX_CLOCK_SKEW_MS) {
    return finding('clock', 'broken', 'clock_off', { minutes: Math.round(skew / MINUTE_MS) });
  }
  return finding('clock', 'ok', skews.length === 0 ? 'clock_plausible' : 'clock_agrees');
}

/** yyMMddHHmm in UTC, as stamped; undefined for a run from source. */
function buildTime(): number | undefined {
  const parts = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(buildFacts.build_time)?.slice(1).map(Number);
  if (parts === undefined) return undefined;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0] = parts;
  return Date.UTC(2000 + year, month - 1, day, hour, minute);
}
