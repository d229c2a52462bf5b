import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { recordingLog, type LogLine } from '../../../test/support/recording-log.js';
import { ApiKeyGuard } from './api-key-guard.js';

const KEY = 'right-key';
const HERE = '127.0.0.1';

describe('the API key guard', () => {
  let clock: ManualClock;
  let key: string | undefined;
  let log: LogLine[];
  let guard: ApiKeyGuard;
  beforeEach(() => {
    clock = new ManualClock();
    key = KEY;
    log = [];
    guard = new ApiKeyGuard({ current: () => key, onRotate: () => () => undefined }, clock, recordingLog(log));
  });
  const tryKey = (presented: string, address = HERE) => guard.check(`Bearer ${presented}`, address)?.status ?? 200;
  const tryUntilLimited = (address = HERE): number => {
    let tries = 0;
    while (tryKey('wrong', address) === 401) tries += 1;
    return tries;
  };

  it.each([`Bearer ${KEY}`, `bearer ${KEY}`, `BEARER   ${KEY}`])('"%s" is let in', (header) => {
    expect(guard.check(header, HERE)).toBeUndefined();
  });

  it.each([
    undefined,
    '',
    KEY,
    `Basic ${KEY}`,
    `Bearer${KEY}`,
    'Bearer',
    'Bearer ',
    `Bearer ${KEY} x`,
    `Bearer ${KEY}x`,
    `Bearer ${KEY.slice(1)}`,
    `Bearer ${KEY.toUpperCase()}`,
  ])('"%s" is unauthorized', (header) => {
    expect(guard.check(header, HERE)).toEqual({
      status: 401,
      code: 'unauthorized',
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  });

  it('says that the secret store is not ready instead of calling a right key wrong', () => {
    key = undefined;
    expect(guard.check(`Bearer ${KEY}`, HERE)).toMatchObject({ status: 503, code: 'secrets_unavailable' });
  });

  it('lets nobody in on an empty key', () => {
    key = '';
    expect(guard.check('Bearer ', HERE)?.status).toBe(503);
    expect(guard.check('Bearer x', HERE)?.status).toBe(503);
  });

  it('forgets the old key the moment there is a new one', () => {
    expect(tryKey(KEY)).toBe(200);
    key = 'another';
    expect(tryKey(KEY)).toBe(401);
    expect(tryKey('another')).toBe(200);
  });

  it('slows wrong keys of one address down, and never the right one', () => {
    const tries = tryUntilLimited();
    expect(tries).toBeGreaterThanOrEqual(10);
    expect(tries).toBeLessThan(60);
    const refusal = guard.check('Bearer wrong', HERE);
    expect(refusal).toMatchObject({ status: 429, code: 'too_many_failed_attempts' });
    expect(Number(refusal?.headers?.['Retry-After'])).toBeGreaterThanOrEqual(1);
    expect(tryKey(KEY)).toBe(200);
    expect(tryKey('wrong', '127.0.0.9')).toBe(401);
  });

  it('answers again after as long as it said', async () => {
    tryUntilLimited();
    const wait = Number(guard.check('Bearer wrong', HERE)?.headers?.['Retry-After']);
    await clock.advance(wait * 1000);
    expect(tryKey('wrong')).toBe(401);
    expect(tryKey('wrong')).toBe(429);
  });

  it('limits many addresses together', () => {
    let plain = 0;
    for (let i = 0; i < 300; i += 1) if (tryKey('wrong', `127.0.${i}.1`) === 401) plain += 1;
    expect(plain).toBe(100);
    expect(tryKey(KEY)).toBe(200);
  });

  it('does not count a request without any key: it is no guess', () => {
    for (let i = 0; i < 500; i += 1) expect(guard.check(undefined, HERE)?.status).toBe(401);
    expect(tryKey('wrong')).toBe(401);
  });

  it('warns once, not once per guess, and never with the key', () => {
    for (let i = 0; i < 200; i += 1) tryKey(`guess-${i}`);
    expect(log).toHaveLength(1);
    expect(JSON.stringify(log)).not.toContain('guess-');
  });
});
