import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { E2AError } from './errors.js';
import { normalizeTimestamp, timestampToEpochSeconds, utcNow } from './timestamp.js';

describe('a timestamp', () => {
  it('passes as text, whatever it says', () => {
    expect(normalizeTimestamp('2026-01-01T00:00:00Z')).toBe('2026-01-01T00:00:00Z');
    expect(normalizeTimestamp('yesterday')).toBe('yesterday');
    expect(normalizeTimestamp(null)).toBeNull();
  });

  it.each([
    [0, '1970-01-01T00:00:00+00:00'],
    [1774524781.15, '2026-03-26T11:33:01.150000+00:00'],
    [-1.5, '1969-12-31T23:59:58.500000+00:00'],
    [0.9999999, '1970-01-01T00:00:01+00:00'],
    [-62135596800, '0001-01-01T00:00:00+00:00'],
  ])('of %d epoch seconds is %s', (seconds, expected) => {
    expect(normalizeTimestamp(seconds)).toBe(expected);
  });

  it.each([
    [0.0000005, '1970-01-01T00:00:00+00:00'],
    [0.0000015, '1970-01-01T00:00:00.000002+00:00'],
    [0.0000025, '1970-01-01T00:00:00.000002+00:00'],
  ])('rounds half a microsecond to the even one: %d', (seconds, expected) => {
    expect(normalizeTimestamp(seconds)).toBe(expected);
  });

  it.each([1774524781150, 1e20, 253402300800, -62135596801, Infinity])('is refused out of range: %d', (seconds) => {
    expect(() => normalizeTimestamp(seconds)).toThrow(E2AError);
  });

  it('comes back from text as the seconds it was made of', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e15 }), (micros) => {
        const seconds = micros / 1e6;
        expect(timestampToEpochSeconds(normalizeTimestamp(seconds))).toBeCloseTo(seconds, 6);
      }),
    );
  });

  it('is 0 seconds when the text is no time', () => {
    expect(timestampToEpochSeconds('yesterday')).toBe(0);
    expect(timestampToEpochSeconds(null)).toBe(0);
    expect(timestampToEpochSeconds('2026-13-45T00:00:00Z')).toBe(0);
  });

  it('honours an offset', () => {
    expect(timestampToEpochSeconds('1970-01-01T01:00:00+01:00')).toBe(0);
    expect(timestampToEpochSeconds('1970-01-01T00:00:01.5Z')).toBe(1.5);
  });

  it('of the present is UTC with an offset of 00:00', () => {
    expect(utcNow()).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?\+00:00$/);
  });
});
