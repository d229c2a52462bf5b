import type { AuthSessionFacts } from '../connector/connector.js';
import type { EndedFacts, PendingFacts } from '../delivery/delivery.js';
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
  'set-deliver-to': Done;
  pending: { readonly messages: readonly PendingFacts[] };
  ended: { readonly messages: readonly EndedFacts[] };
  retry: Done;
  discard: Done;
  pause: Done;
  'local-send': { readonly messageId: string };
  'local-read': LocalReading;
  'api-key': { readonly apiKey: string };
  'rotate-api-key': { readonly apiKey: string };
}

export type ResultOf<C extends CommandName> = CommandResults[C];
