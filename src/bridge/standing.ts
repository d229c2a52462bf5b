import type { AccountSnapshot, ConnectorSnapshot, Snapshot } from './snapshot.js';

/**
 * What a snapshot says about an account in the one vocabulary that rows, side bar, tray and notifications share, so that no
 * two of them can disagree. Pure; words are by `kind` and `code`.
 */
export type Standing =
  /** Round trips complete. */
  | { readonly kind: 'receiving'; readonly since: number }
  /** Receiving, and messages wait because nobody takes them. */
  | { readonly kind: 'holding'; readonly since: number; readonly waiting: number }
  /** Receiving; the person paused delivery. */
  | { readonly kind: 'paused'; readonly since: number }
  /** Something that its code names is not as it should be, and is tried again without the person. */
  | { readonly kind: 'flawed'; readonly code: string; readonly since: number }
  | { readonly kind: 'connecting'; readonly since: number }
  | { readonly kind: 'retrying'; readonly code: string; readonly since: number; readonly retryAt: number | undefined }
  | { readonly kind: 'no_network'; readonly since: number }
  /** A person has to act: sign in again, stop another program, remove a webhook. */
  | { readonly kind: 'needs_you'; readonly code: string; readonly since: number; readonly signIn: boolean }
  | { readonly kind: 'refused'; readonly code: string; readonly since: number; readonly signIn: boolean }
  /** The secret store doesn't give the sign-in out. */
  | { readonly kind: 'locked'; readonly code: string; readonly since: number };

const LOCKED = new Set(['secrets_locked', 'secrets_absent', 'secrets_failed']);

/** The network is reached, but a person has to end something elsewhere; each has words in the tray as in the window. */
export const PERSON_ACTS: readonly string[] = [
  'taken_over',
  'polled_elsewhere',
  'used_elsewhere',
  'too_many_connections',
  'webhook_active',
  'blocked',
  'backlog_full',
];

/** Shown by the banner about the disk for the whole app. */
const isStoreCode = (code: string): boolean => code.startsWith('store_') || code === 'local_store_unavailable';

/**
 * @param online whether this computer has a network at all
 * @param local the account is of the local chat, which needs no network
 */
export function standingOf(
  { state, queue, agentConnected }: Pick<AccountSnapshot, 'state' | 'queue' | 'agentConnected'>,
  { paused, online, local }: { readonly paused: boolean; readonly online: boolean; readonly local: boolean },
): Standing {
  const { since } = state;
  switch (state.status) {
    case 'connected':
      if (paused) return { kind: 'paused', since };
      return queue.pending > 0 && !agentConnected
        ? { kind: 'holding', since, waiting: queue.pending }
        : { kind: 'receiving', since };
    case 'expired':
      return { kind: 'needs_you', code: state.code, since, signIn: true };
    case 'revoked':
      return { kind: 'refused', code: state.code, since, signIn: true };
    case 'error':
      return { kind: 'refused', code: state.code, since, signIn: false };
    case 'degraded':
    case 'offline': {
      const { code } = state;
      if (LOCKED.has(code)) return { kind: 'locked', code, since };
      if (PERSON_ACTS.includes(code)) return { kind: 'needs_you', code, since, signIn: false };
      if (state.status === 'degraded' || isStoreCode(code)) return { kind: 'flawed', code, since };
      if (!online && !local) return { kind: 'no_network', since };
      if (code === 'connecting') return { kind: 'connecting', since };
      return { kind: 'retrying', code, since, retryAt: state.retryAt };
    }
  }
}

/** The one flaw that is about sending only. */
const STILL_RECEIVES = 'sent_unconfirmed';

/** The path of the connector that is the local chat. */
export const LOCAL = 'local';

/** How an account of a snapshot's connector stands. @param online whether this computer has a network at all */
export function standingIn(
  { paused }: Pick<Snapshot, 'paused'>,
  { name }: Pick<ConnectorSnapshot, 'name'>,
  account: AccountSnapshot,
  online: boolean,
): Standing {
  return standingOf(account, { paused, online, local: name === LOCAL });
}

/** Whether messages of the network arrive. */
export function isReceiving(standing: Standing): boolean {
  const { kind } = standing;
  if (kind === 'flawed') return standing.code === STILL_RECEIVES;
  return kind === 'receiving' || kind === 'holding' || kind === 'paused';
}

/** Whether nothing goes on without the person. */
export function needsPerson({ kind }: Standing): boolean {
  return kind === 'needs_you' || kind === 'refused' || kind === 'locked';
}

/** Agents that are connected: one may have a data plane at each connector; a connected AgentServer counts as one. */
export function agentsConnected({ agents, agentServer }: Pick<Snapshot, 'agents' | 'agentServer'>): number {
  const named = new Set(agents.map(({ name, version }) => `${name ?? ''}\n${version ?? ''}`));
  return named.size + (agentServer.state.status === 'connected' ? 1 : 0);
}
