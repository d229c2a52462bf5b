import { describe, expect, it } from 'vitest';
import type { AccountSnapshot } from './snapshot.js';
import { isReceiving, needsPerson, standingOf, type Standing } from './standing.js';

const SINCE = 1_800_000_000_000;
const HERE = { paused: false, online: true, local: false };

function standing(
  state: AccountSnapshot['state'],
  {
    pending = 0,
    agentConnected = true,
    ...where
  }: Partial<typeof HERE & { pending: number; agentConnected: boolean }> = {},
): Standing {
  const queue = { pending, oldestReceivedAt: undefined, attempts: 0, lastError: undefined, retryAt: undefined };
  return standingOf({ state, queue, agentConnected }, { ...HERE, ...where });
}

const connected = { status: 'connected', since: SINCE } as const;
const offline = (code: string, retryAt?: number): AccountSnapshot['state'] => ({
  status: 'offline',
  code,
  since: SINCE,
  ...(retryAt !== undefined && { retryAt }),
});

describe('where an account stands', () => {
  it('receives while it is connected, holds when messages wait and nobody takes them, and says first that it is paused', () => {
    expect(standing(connected)).toEqual({ kind: 'receiving', since: SINCE });
    expect(standing(connected, { pending: 3 })).toEqual({ kind: 'receiving', since: SINCE });
    expect(standing(connected, { pending: 3, agentConnected: false })).toEqual({
      kind: 'holding',
      since: SINCE,
      waiting: 3,
    });
    expect(standing(connected, { pending: 3, agentConnected: false, paused: true })).toEqual({
      kind: 'paused',
      since: SINCE,
    });
  });

  it('retries by itself with the time of the next try, and connects before it was ever connected', () => {
    expect(standing(offline('unreachable', SINCE + 24_000))).toEqual({
      kind: 'retrying',
      code: 'unreachable',
      since: SINCE,
      retryAt: SINCE + 24_000,
    });
    expect(standing(offline('connecting')).kind).toBe('connecting');
  });

  it('blames the missing network of the computer, but never for the local chat', () => {
    expect(standing(offline('unreachable'), { online: false }).kind).toBe('no_network');
    expect(standing(offline('connecting'), { online: false }).kind).toBe('no_network');
    expect(standing(offline('unreachable'), { online: false, local: true }).kind).toBe('retrying');
  });

  it('needs the person where nothing goes on without them, whatever the network', () => {
    const needing: readonly AccountSnapshot['state'][] = [
      { status: 'expired', code: 'signed_out', since: SINCE },
      { status: 'revoked', code: 'token_revoked', since: SINCE },
      { status: 'error', code: 'permission_missing', since: SINCE },
      offline('polled_elsewhere'),
      offline('taken_over'),
      offline('webhook_active'),
      offline('blocked'),
      offline('secrets_locked'),
      { status: 'degraded', code: 'backlog_full', since: SINCE },
    ];
    expect(needing.map((state) => needsPerson(standing(state, { online: false })))).toEqual(needing.map(() => true));
    expect(needing.some((state) => isReceiving(standing(state)))).toBe(false);
  });

  it('offers to sign in again exactly where a new sign-in is what helps', () => {
    expect(standing({ status: 'expired', code: 'signed_out', since: SINCE })).toMatchObject({ signIn: true });
    expect(standing({ status: 'revoked', code: 'token_revoked', since: SINCE })).toMatchObject({ signIn: true });
    expect(standing(offline('polled_elsewhere'))).toMatchObject({ signIn: false });
    expect(standing({ status: 'error', code: 'permission_missing', since: SINCE })).toMatchObject({ signIn: false });
  });

  it('does not call receiving what is not: a full disk stops the intake, an unconfirmed reply does not', () => {
    const full = standing({ status: 'degraded', code: 'store_disk_full', since: SINCE });
    const unconfirmed = standing({ status: 'degraded', code: 'sent_unconfirmed', since: SINCE });
    expect([full.kind, isReceiving(full), needsPerson(full)]).toEqual(['flawed', false, false]);
    expect([unconfirmed.kind, isReceiving(unconfirmed)]).toEqual(['flawed', true]);
  });
});
