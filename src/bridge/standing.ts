import type { AccountSnapshot, Snapshot } from './snapshot.js';
import type { WindowState } from './window.js';

/**
 * What a person is told of an account, and of the whole app: one rule for the window, the tray and the notifications, so that
 * no two of them can disagree.
 */
export type Standing =
  | 'receiving'
  /** Receiving, and messages wait because nothing takes them. */
  | 'holding'
  | 'paused'
  | 'connecting'
  | 'retrying'
  | 'no_network'
  /** The sign-in ended, or something of the person's stands in the way. */
  | 'needs_you'
  | 'refused'
  | 'locked';

/** The whole app in one sign. */
export type OverallState = 'ok' | 'attention' | 'offline' | 'busy';

/** Messages that wait longer than this make the app look busy; shorter waits are everyday. Milliseconds. */
export const WAITING_SHOWN_AFTER_MS = 30_000;

/** Why a network gives nothing though it can be reached: only the person can change that. */
const NEEDS_PERSON: ReadonlySet<string> = new Set(['taken_over', 'webhook_active', 'blocked']);
/** The credentials are in a secret store that does not answer. */
const SECRETS = /^secrets_(locked|absent|failed)$/;

/** Where one account stands. @param online whether the computer has a network at all */
export function standingOf(
  account: Pick<AccountSnapshot, 'state' | 'queue' | 'agentConnected'>,
  paused: boolean,
  online: boolean,
): Standing {
  const { state } = account;
  switch (state.status) {
    case 'expired':
    case 'revoked':
      return 'needs_you';
    case 'error':
      return 'refused';
    case 'offline':
      if (SECRETS.test(state.code)) return 'locked';
      if (NEEDS_PERSON.has(state.code)) return 'needs_you';
      if (!online) return 'no_network';
      return state.code === 'connecting' ? 'connecting' : 'retrying';
    case 'connected':
    case 'degraded':
      if (paused) return 'paused';
      return account.queue.pending > 0 && !account.agentConnected ? 'holding' : 'receiving';
  }
}

/** Where one account of a snapshot stands, with the shell's word on the network. */
export function standingIn(state: WindowState, snapshot: Snapshot, account: AccountSnapshot): Standing {
  return standingOf(account, snapshot.paused, state.shell.online);
}

/** What needs the person is before what is away, and that before what is under way. @param now Unix ms */
export function overallState(state: WindowState, now: number): OverallState {
  const { host } = state;
  if (host.stage === 'failed') return 'attention';
  if (host.stage === 'unreachable') return 'offline';
  if (host.stage !== 'running') return 'busy';
  const { snapshot } = host;
  const accounts = snapshot.connectors.flatMap((connector) => connector.accounts);
  const standings = accounts.map((account) => standingIn(state, snapshot, account));
  const has = (...wanted: readonly Standing[]): boolean => standings.some((standing) => wanted.includes(standing));

  if (has('needs_you', 'refused', 'locked')) return 'attention';
  if (snapshot.server.state === 'port_taken' || snapshot.secrets.state !== 'ready') return 'attention';
  if (!state.shell.online || accounts.length === 0) return 'offline';
  const waits = accounts.some(
    ({ queue }) => queue.oldestReceivedAt !== undefined && now - queue.oldestReceivedAt > WAITING_SHOWN_AFTER_MS,
  );
  return has('connecting', 'retrying', 'no_network') || snapshot.paused || waits ? 'busy' : 'ok';
}

/** When {@link overallState} may change by itself, Unix ms; undefined while only an event can change it. */
export function overallChangesAt(state: WindowState, now: number): number | undefined {
  if (state.host.stage !== 'running') return undefined;
  const due = state.host.snapshot.connectors
    .flatMap((connector) => connector.accounts)
    .flatMap(({ queue }) => (queue.oldestReceivedAt === undefined ? [] : [queue.oldestReceivedAt]))
    .map((at) => at + WAITING_SHOWN_AFTER_MS + 1)
    .filter((at) => at > now);
  return due.length === 0 ? undefined : Math.min(...due);
}
