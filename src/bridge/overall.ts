import type { Snapshot } from './snapshot.js';
import { isReceiving, needsPerson, standingIn, type Standing } from './standing.js';
import type { WindowState } from './window.js';

/** The whole app in one sign: the tray's icon, and whatever else has room for no more. */
export type OverallState = 'ok' | 'attention' | 'offline' | 'busy';

/** Messages that wait longer than this make the app look busy; shorter waits are everyday. Milliseconds. */
export const WAITING_SHOWN_AFTER_MS = 30_000;

/** What needs the person is before what is away, and that before what is under way. @param now Unix ms */
export function overallState(state: WindowState, now: number): OverallState {
  const { host } = state;
  if (host.stage === 'failed') return 'attention';
  if (host.stage === 'unreachable') return 'offline';
  if (host.stage !== 'running') return 'busy';
  const { snapshot } = host;
  const standings = standingsOf(snapshot, state.shell.online);
  if (standings.some(needsPerson)) return 'attention';
  if (snapshot.server.state === 'port_taken' || snapshot.secrets.state !== 'ready') return 'attention';
  // A disk that refuses writes stops every network, whatever each of them says of itself until its next try.
  if (snapshot.storage.intakePaused !== undefined) return 'attention';
  if (!state.shell.online || standings.length === 0) return 'offline';
  const waits = oldestWaiting(snapshot).some((at) => now - at > WAITING_SHOWN_AFTER_MS);
  return standings.every(isReceiving) && !snapshot.paused && !waits ? 'ok' : 'busy';
}

/** When {@link overallState} may change by itself, Unix ms; undefined while only an event can change it. */
export function overallChangesAt(state: WindowState, now: number): number | undefined {
  if (state.host.stage !== 'running') return undefined;
  const due = oldestWaiting(state.host.snapshot)
    .map((at) => at + WAITING_SHOWN_AFTER_MS + 1)
    .filter((at) => at > now);
  return due.length === 0 ? undefined : Math.min(...due);
}

function standingsOf(snapshot: Snapshot, online: boolean): Standing[] {
  return snapshot.connectors.flatMap((connector) =>
    connector.accounts.map((account) => standingIn(snapshot, connector, account, online)),
  );
}

function oldestWaiting(snapshot: Snapshot): number[] {
  return snapshot.connectors
    .flatMap(({ accounts }) => accounts)
    .flatMap(({ queue }) => (queue.oldestReceivedAt === undefined ? [] : [queue.oldestReceivedAt]));
}
