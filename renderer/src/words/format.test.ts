import { describe, expect, it } from 'vitest';
import { createFormat, LOCALES } from './format.js';

const en = createFormat('en');
const zh = createFormat('zh');
const S = 1000;
const MIN = 60 * S;

describe('numbers, times and sizes', () => {
  it('count spans in their largest whole unit, with a space that does not break', () => {
    expect(
      [0, 12_400, 59_999, MIN, 54 * MIN, 60 * MIN, 47 * 60 * MIN, 48 * 60 * MIN].map((ms) => en.duration(ms)),
    ).toEqual(['0\u00a0s', '12\u00a0s', '59\u00a0s', '1\u00a0min', '54\u00a0min', '1\u00a0h', '47\u00a0h', '2\u00a0d']);
    expect(zh.duration(3 * MIN)).toBe('3\u00a0分钟');
    expect(en.duration(-5)).toBe('0\u00a0s');
  });

  it('write every number as the language does, small ones too', () => {
    const values = [...Array.from({ length: 2_200 }, (_, index) => index - 1_100), 0.5, 999.5, 1_234_567];
    for (const [language, format] of [['en', en] as const, ['zh', zh] as const]) {
      const theirs = new Intl.NumberFormat(LOCALES[language]);
      expect(values.map((value) => format.number(value))).toEqual(values.map((value) => theirs.format(value)));
    }
  });

  it('say how long ago', () => {
    expect(en.ago(12 * S)).toBe('12\u00a0s ago');
    expect(zh.ago(32 * MIN)).toBe('32\u00a0分钟前');
  });

  it('count down in minutes and seconds, never below zero', () => {
    expect([84 * S, 83_001, 14 * S, 0, -S].map((ms) => en.countdown(ms))).toEqual([
      '1:24',
      '1:24',
      '0:14',
      '0:00',
      '0:00',
    ]);
  });

  it('say spans in words for those who hear them', () => {
    expect(en.spoken(84 * S)).toBe('1 minute 24 seconds');
    expect(en.spoken(20 * S)).toBe('20 seconds');
    expect(en.spoken(2 * MIN)).toBe('2 minutes');
    expect(zh.spoken(84 * S)).toBe('1分钟24秒钟');
  });

  it('show sizes in units of 1024, as limits are set', () => {
    expect([0, 1023, 1200, 1_240_000, 100 * 1024 ** 2, 2 * 1024 ** 3].map((size) => en.bytes(size))).toEqual([
      '0\u00a0B',
      '1,023\u00a0B',
      '1.2\u00a0kB',
      '1.2\u00a0MB',
      '100\u00a0MB',
      '2\u00a0GB',
    ]);
  });

  it('show how long something took, to the millisecond below a second', () => {
    expect(en.took(38.4)).toBe('38\u00a0ms');
    expect(zh.took(2100)).toBe('2\u00a0秒');
  });

  it('show the clock, and the day when it is another one', () => {
    const at = new Date(2026, 10, 30, 14, 2).getTime();
    expect(en.time(at, at + MIN)).toBe('14:02');
    expect(en.time(at, at + 24 * 60 * MIN)).toBe('30 Nov, 14:02');
    expect(zh.time(at, at + 24 * 60 * MIN)).toBe('11月30日 14:02');
  });
});
