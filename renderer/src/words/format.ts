import type { Language } from '../../../src/bridge/index.js';
import { once } from './once.js';

/** Stands between a number and its unit, so that they stay on one line. */
const NBSP = '\u00a0';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Integers below it are written alike in both languages, without what groups digits. */
const FIRST_GROUPED = 1000;

/** BCP 47 tags of the languages. */
export const LOCALES: Readonly<Record<Language, string>> = { en: 'en-GB', zh: 'zh-CN' };

const UNITS: Readonly<Record<Language, { s: string; min: string; h: string; d: string; ms: string; ago: string }>> = {
  en: { s: 's', min: 'min', h: 'h', d: 'd', ms: 'ms', ago: ' ago' },
  zh: { s: '秒', min: '分钟', h: '小时', d: '天', ms: '毫秒', ago: '前' },
};

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;
/** Of the next smaller unit: limits are set in these, so that one of 100 MB is told as 100 MB. */
const UNIT_STEP = 1024;

/** Numbers, times and sizes as the language writes them. */
export interface Format {
  readonly number: (value: number) => string;
  /** `1.2 MB`; each unit is 1024 of the one before. */
  readonly bytes: (value: number) => string;
  /** `12 s`, `3 min`, `5 h`, `2 d`: the largest whole unit. Milliseconds. */
  readonly duration: (ms: number) => string;
  /** `350 ms`, or as {@link duration} from a second on. */
  took(ms: number): string;
  /** `12 s ago`. Milliseconds. */
  ago(ms: number): string;
  /** `1:24`; never below zero. Milliseconds. */
  countdown(ms: number): string;
  /** `1 minute 24 seconds`, for those who hear it. Milliseconds. */
  spoken(ms: number): string;
  /** `14:02`, with the day when it is not `now`'s. Unix ms. */
  time(at: number, now: number): string;
  /** `14:02`. Unix ms. */
  readonly clock: (at: number) => string;
  /** `29 Nov 2026`. Unix ms. */
  date(at: number): string;
  /** `29 Nov 2026, 14:02`. Unix ms. */
  dateTime(at: number): string;
}

export function createFormat(language: Language): Format {
  const locale = LOCALES[language];
  const unit = UNITS[language];
  const numbers = once(() => new Intl.NumberFormat(locale));
  const sizes = once(() => new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }));
  const clock = once(() => new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }));
  const dayClock = once(
    () =>
      new Intl.DateTimeFormat(locale, {
        day: 'numeric',
        month: 'short',
        hour: '2-digit',
        minute: '2-digit',
        hourCycle: 'h23',
      }),
  );
  const day = once(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }));
  const full = once(
    () => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' }),
  );
  const long = (value: number, name: string): string =>
    new Intl.NumberFormat(locale, { style: 'unit', unit: name, unitDisplay: 'long' }).format(value);
  // A window that opens shows small numbers only, and what writes the others takes a tenth of the time until it is there.
  const number = (value: number): string =>
    Number.isInteger(value) && Math.abs(value) < FIRST_GROUPED ? String(value) : numbers().format(value);
  const withUnit = (value: number, name: string): string => `${number(value)}${NBSP}${name}`;

  function duration(ms: number): string {
    const span = Math.max(0, ms);
    if (span < MINUTE) return withUnit(Math.floor(span / SECOND), unit.s);
    if (span < HOUR) return withUnit(Math.floor(span / MINUTE), unit.min);
    if (span < 2 * DAY) return withUnit(Math.floor(span / HOUR), unit.h);
    return withUnit(Math.floor(span / DAY), unit.d);
  }

  return {
    duration,
    number,
    bytes: (value) => {
      let index = 0;
      let amount = value;
      while (amount >= UNIT_STEP && index < BYTE_UNITS.length - 1) {
        amount /= UNIT_STEP;
        index += 1;
      }
      return `${sizes().format(amount)}${NBSP}${BYTE_UNITS[index] ?? ''}`;
    },
    took: (ms) => (ms < SECOND ? withUnit(Math.round(ms), unit.ms) : duration(ms)),
    ago: (ms) => `${duration(ms)}${unit.ago}`,
    countdown: (ms) => {
      const seconds = Math.max(0, Math.ceil(ms / SECOND));
      return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
    },
    spoken: (ms) => {
      const seconds = Math.max(0, Math.ceil(ms / SECOND));
      const minutes = Math.floor(seconds / 60);
      const parts = [
        ...(minutes > 0 ? [long(minutes, 'minute')] : []),
        ...(seconds % 60 > 0 || minutes === 0 ? [long(seconds % 60, 'second')] : []),
      ];
      return parts.join(language === 'zh' ? '' : ' ');
    },
    time: (at, now) => (sameDay(at, now) ? clock : dayClock)().format(at),
    clock: (at) => clock().format(at),
    date: (at) => day().format(at),
    dateTime: (at) => full().format(at),
  };
}

function sameDay(a: number, b: number): boolean {
  return new Date(a).toDateString() === new Date(b).toDateString();
}
