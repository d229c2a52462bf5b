import type { Words } from '../../words/index.js';

const MINUTE_MS = 60_000;

/** What a pulse draws, as a sentence. The running minute does not count against it. */
export function pulseSentence(pulse: string, { t, format }: Words): string {
  const known = pulse.replace(/-/g, '');
  const past = known.at(-1) === 'n' ? known.slice(0, -1) : known;
  const asleep = count(past, 's');
  const ok = count(past, 'a') + count(past, 'l');
  const total = past.length - asleep;
  if (asleep > 0) return t('pulse.asleep', { ok, total, asleep: format.duration(asleep * MINUTE_MS) });
  if (ok === total) return t('pulse.all', { n: total });
  const [silent = ''] = /n+$/.exec(past) ?? [];
  return silent.length > 0 ? t('pulse.silent', { n: silent.length }) : t('pulse.some', { ok, total });
}

function count(text: string, letter: string): number {
  return text.split(letter).length - 1;
}
