import type { AccountSnapshot, Place, Preferences, Snapshot } from '../bridge/index.js';
import { needsPerson, standingOf } from '../bridge/index.js';

/** The sign-ins that agents use end this long after the notice; milliseconds (the notice says 10 minutes). */
export const AWAY_NOTICE_MS = 600_000;

/** What is worth a notification: three things, each said once. */
export type Notice =
  | { readonly kind: 'sign_in'; readonly connector: string; readonly label: string; readonly place: Place }
  | {
      readonly kind: 'expired';
      readonly connector: string;
      readonly label: string;
      readonly accountId: string;
      readonly place: Place;
    }
  | { readonly kind: 'agent_away'; readonly place: Place };

/**
 * Finds in the sequence of snapshots what a person is to be told. An event is told once: a state that stays is no new event, and
 * what was so already at the start is on the tray and in the window.
 */
export class NoticeWatch {
  #signedOut: ReadonlySet<string> | undefined;
  #expired = new Map<string, number>();
  #warned = new Set<string>();

  /** @returns what happened since the last snapshot and is wanted by the person's choices */
  next(snapshot: Snapshot, wanted: Pick<Preferences, 'notifySignIn' | 'notifyExpired' | 'notifyAgentAway'>): Notice[] {
    // What is not wanted is seen all the same: switching a notice on later does not tell of the past.
    const notices = [...this.#signIns(snapshot), ...this.#expiries(snapshot), ...this.#absences(snapshot)];
    const isWanted = {
      sign_in: wanted.notifySignIn,
      expired: wanted.notifyExpired,
      agent_away: wanted.notifyAgentAway,
    };
    return notices.filter(({ kind }) => isWanted[kind]);
  }

  #signIns(snapshot: Snapshot): Notice[] {
    const known = this.#signedOut;
    const ended = accountsOf(snapshot).filter(({ account }) => needsSignIn(account));
    this.#signedOut = new Set(ended.map(({ account }) => account.accountId));
    if (known === undefined) return [];
    return ended
      .filter(({ account }) => !known.has(account.accountId))
      .map(({ connector, label }) => ({ kind: 'sign_in', connector, label, place: { view: 'connect', connector } }));
  }

  #expiries(snapshot: Snapshot): Notice[] {
    const notices: Notice[] = [];
    for (const { connector, label, account } of accountsOf(snapshot)) {
      const now = account.counters['expired'] ?? 0;
      const before = this.#expired.get(account.accountId);
      this.#expired.set(account.accountId, now);
      if (before === undefined || now <= before) continue;
      const { accountId } = account;
      notices.push({ kind: 'expired', connector, label, accountId, place: { view: 'messages', accountId } });
    }
    return notices;
  }

  /** One notice for all networks: an agent that is away is away everywhere. */
  #absences(snapshot: Snapshot): Notice[] {
    const ending = new Set(
      snapshot.connectors
        .filter(({ leaseLeftMs, accounts }) => {
          const claimed = accounts.some(
            ({ channelId, deliverTo }) => channelId !== undefined && deliverTo === 'xagent',
          );
          return claimed && leaseLeftMs !== undefined && leaseLeftMs <= AWAY_NOTICE_MS;
        })
        .map(({ name }) => name),
    );
    const isNew = ending.size > 0 && this.#warned.size === 0;
    this.#warned = ending;
    return isNew ? [{ kind: 'agent_away', place: { view: 'agent' } }] : [];
  }
}

/** Milliseconds until the next notice may be due without any event: leases run out silently. Undefined while none runs. */
export function nextAbsenceMs(snapshot: Snapshot): number | undefined {
  const due = snapshot.connectors
    .filter(({ accounts }) => accounts.some(({ channelId }) => channelId !== undefined))
    .flatMap(({ leaseLeftMs }) => (leaseLeftMs === undefined ? [] : [leaseLeftMs - AWAY_NOTICE_MS]))
    .filter((ms) => ms > 0);
  return due.length === 0 ? undefined : Math.min(...due);
}

function needsSignIn(account: AccountSnapshot): boolean {
  const standing = standingOf(account, { paused: false, online: true, local: false });
  return needsPerson(standing) && 'signIn' in standing && standing.signIn;
}

function accountsOf(snapshot: Snapshot) {
  return snapshot.connectors.flatMap(({ name, label, accounts }) =>
    accounts.map((account) => ({ connector: name, label, account })),
  );
}
