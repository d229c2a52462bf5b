import type { AuthSessionFacts } from '../connector/connector.js';
import type { EndedFacts, HeldFacts, PendingFacts, TrafficBucket, TrafficFacts } from '../delivery/delivery.js';
import type { LocalReading } from '../targets/local/chat.js';
import type { CommandName } from './bridge.js';
import type { SecretsSnapshot, Snapshot } from './snapshot.js';

type Done = Readonly<Record<string, never>>;

/** What each command answers with. */
export interface CommandResults {
  snapshot: Snapshot;
  'check-secrets': SecretsSnapshot;
  'sign-in': AuthSessionFacts;
  'sign-in-state': AuthSessionFacts;
  'sign-in-input': Done;
  'sign-in-refresh': Done;
  'sign-in-cancel': Done;
  'sign-out': Done;
  reconnect: Done;
  'set-deliver-to': Done;
  /** `messages` wait for the agent; `held` are the agent's and wait for the person to write. */
  pending: { readonly messages: readonly PendingFacts[]; readonly held?: readonly HeldFacts[] };
  ended: { readonly messages: readonly EndedFacts[] };
  retry: Done;
  discard: Done;
  pause: Done;
  preview: { readonly text: string };
  history: History;
  'local-send': { readonly messageId: string };
  'local-read': LocalReading;
  rehearse: Done;
  'rehearse-stop': Done;
  doctor: { readonly findings: readonly Finding[] };
  bundle: BundleFacts;
  settings: SettingsFacts;
  'set-settings': SettingsFacts;
  'set-onboarding': Done;
  'retry-port': Done;
  'ui-link': { readonly url: string };
  'api-key': { readonly apiKey: string };
  'rotate-api-key': { readonly apiKey: string };
}

export type ResultOf<C extends CommandName> = CommandResults[C];

export type History = TrafficFacts;
export type HistoryBucket = TrafficBucket;

/**
 * One thing that the doctor looked at. `code` has words in the window's map, with `values` put into them; `detail` and `todo`
 * are the same in English for the command line, `todo` empty when there is nothing to do.
 */
export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'broken';
  readonly code: string;
  readonly values: Readonly<Record<string, string | number>>;
  readonly detail: string;
  readonly todo: string;
}

/** What a diagnostics bundle holds. */
export interface BundleFacts {
  readonly entries: readonly { readonly name: string; readonly byteSize: number; readonly content: string }[];
  /** Secrets that were looked for in it; none is in it, or there would be no bundle. */
  readonly secretsSearched: number;
}

export interface SettingsFacts {
  readonly port: number;
  readonly allowedHosts: readonly string[];
  readonly secretStore: 'keychain' | 'file';
  /** Bytes on the disk. */
  readonly storage: { readonly database: number; readonly files: number; readonly logs: number };
  /** Bytes that files in transit may take at most. */
  readonly filesLimit: number;
  readonly maxUploadBytes: number;
  /** How long a message waits for an agent, milliseconds. */
  readonly pendingTtlMs: number;
  readonly dataDir: string;
}
