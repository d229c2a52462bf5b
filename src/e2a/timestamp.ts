import { plainText } from './coerce.js';
import { E2AError } from './errors.js';

/** Options of every operation that stamps what it makes. */
export interface ClockOptions {
  /** Gives the present as RFC 3339 text; the machine's clock when absent. */
  now?: () => string;
}

const MICROS_PER_SECOND = 1_000_000;
/** 0001-01-01 and 9999-12-31T23:59:59 in epoch seconds: the years RFC 3339 can write. */
const FIRST_SECOND = -62_135_596_800;
const LAST_SECOND = 253_402_300_799;

/** RFC 3339 in UTC with `+00:00`, as the implementation writes it (section 4.3). */
export const UTC_TIMESTAMP_PATTERN = '^\\d{4}-\\d{2}-\\d{2}[Tt]\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?([Zz]|[+-]00:00)$';

/** The present as RFC 3339 text in UTC. */
export function utcNow(): string {
  return epochSecondsToText(Date.now() / 1000);
}

/** The time an operation runs at. */
export function timeOf(options: ClockOptions): string {
  return (options.now ?? utcNow)();
}

/**
 * `timestamp` as it is read (sections 4.3 and 9): null stays null, text passes unchanged, a number is epoch seconds.
 * @throws {E2AError} `invalid_value` for a time outside the years 1 to 9999: milliseconds in place of seconds, mostly.
 */
export function normalizeTimestamp(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return epochSecondsToText(value ? 1 : 0);
  return typeof value === 'number' ? epochSecondsToText(value) : plainText(value);
}

/** Epoch seconds as text, with six digits of fraction or none; halves of a microsecond round to even. */
function epochSecondsToText(epochSeconds: number): string {
  let seconds = Math.trunc(epochSeconds);
  let micros = roundHalfToEven((epochSeconds - seconds) * MICROS_PER_SECOND);
  if (micros >= MICROS_PER_SECOND) {
    seconds += 1;
    micros -= MICROS_PER_SECOND;
  } else if (micros < 0) {
    seconds -= 1;
    micros += MICROS_PER_SECOND;
  }
  if (!(seconds >= FIRST_SECOND && seconds <= LAST_SECOND)) {
    throw new E2AError('invalid_value', 'timestamp is out of range: it is read as epoch seconds');
  }
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19);
  return `${whole}${micros === 0 ? '' : `.${String(micros).padStart(6, '0')}`}+00:00`;
}

function roundHalfToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest === 0.5) return floor % 2 === 0 ? floor : floor + 1;
  return rest < 0.5 ? floor : floor + 1;
}

/** RFC 3339 text as epoch seconds, to the microsecond; 0 when it can't be read. A time without offset counts as UTC. */
export function timestampToEpochSeconds(text: unknown): number {
  if (typeof text !== 'string') return 0;
  const match = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})?)?$/.exec(
    text,
  );
  if (match === null) return 0;
  const [, date, minutes = '00:00', seconds = '00', fraction = '', zone = 'Z'] = match;
  const offset = /^[+-]\d{4}$/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone;
  const milliseconds = Date.parse(`${date}T${minutes}:${seconds}${offset}`);
  if (Number.isNaN(milliseconds)) return 0;
  const micros = Number(fraction.slice(0, 6).padEnd(6, '0'));
  return (milliseconds * 1000 + micros) / MICROS_PER_SECOND;
}
