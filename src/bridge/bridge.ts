import Type, { type Static, type TSchema } from 'typebox';
import { MAX_MESSAGE_FILES, MAX_MESSAGE_LENGTH } from './limits.js';

/**
 * The commands a window or the command line gives a running host. No command and no answer carries a secret that the host
 * keeps; `api-key` and `rotate-api-key` are the one exception, and only the socket in the data directory offers them.
 */

const Text = Type.String({ minLength: 1, maxLength: 4096 });
const FormInput = Type.Record(Type.String({ minLength: 1, maxLength: 64 }), Type.String({ maxLength: 4096 }));

/** A closed object: a parameter that no command knows is refused, not overlooked. */
function params<P extends Record<string, TSchema>>(properties: P) {
  return Type.Object(properties, { additionalProperties: false });
}

/** The step of the first start that comes next: where the program lives, an account, an agent. */
export const OnboardingStep = Type.Enum(['tray', 'account', 'agent', 'done']);
export type OnboardingStep = Static<typeof OnboardingStep>;

const signIn = { connector: Text, authSessionId: Text };

/** Parameters of every command; one definition for type and check. */
export const CommandParams = {
  snapshot: params({}),
  /** Asks the secret store anew how it is; snapshots show what it said last. */
  'check-secrets': params({}),
  'sign-in': params({ connector: Text, input: Type.Optional(FormInput) }),
  'sign-in-state': params(signIn),
  'sign-in-input': params({ ...signIn, input: FormInput }),
  'sign-in-refresh': params(signIn),
  'sign-in-cancel': params(signIn),
  'sign-out': params({ accountId: Text }),
  /** Tries at once what the connection to this account's network waits with. */
  reconnect: params({ accountId: Text }),
  /** Where an account's messages go; null follows its network's setting. */
  'set-deliver-to': params({
    accountId: Text,
    upstream: Type.Union([Type.Enum(['xagent', 'agentServer']), Type.Null()]),
  }),
  pending: params({ accountId: Text }),
  ended: params({ accountId: Text }),
  retry: params({ accountId: Text }),
  discard: params({ accountId: Text, messageId: Text }),
  pause: params({ paused: Type.Boolean() }),
  /** The text of one pending message, for a person who asked to see it. */
  preview: params({ accountId: Text, messageId: Text }),
  /** What went in and out in the last 24 hours. */
  history: params({}),
  /** Text, or files that were uploaded before ({@link FILES_PATH}), or both. */
  'local-send': params({
    accountId: Text,
    text: Type.String({ maxLength: MAX_MESSAGE_LENGTH }),
    files: Type.Optional(Type.Array(Text, { maxItems: MAX_MESSAGE_FILES })),
  }),
  'local-read': params({ accountId: Text, after: Type.Integer({ minimum: 0 }) }),
  /** Plays an agent against the running server; snapshots show how it goes. */
  rehearse: params({}),
  'rehearse-stop': params({}),
  doctor: params({}),
  /** What a diagnostics bundle holds, before it is saved. */
  bundle: params({}),
  settings: params({}),
  /** Kept in the data directory, above the config file; what is given takes effect at once. */
  'set-settings': params({
    port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535 })),
    allowedHosts: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 253 }), { maxItems: 64 })),
  }),
  /** Kept in the data directory as well, so that every window goes on where another one left the first start. */
  'set-onboarding': params({ step: OnboardingStep }),
  /** Tries once more to listen on the port that was taken. */
  'retry-port': params({}),
  /** A link that opens this window in a browser, once and soon. */
  'ui-link': params({}),
  'api-key': params({}),
  'rotate-api-key': params({}),
} as const;

export type CommandName = keyof typeof CommandParams;
export type ParamsOf<C extends CommandName> = Static<(typeof CommandParams)[C]>;

/** Commands whose answer is a secret: never offered to a window. */
export const SOCKET_ONLY: readonly CommandName[] = ['api-key', 'rotate-api-key', 'ui-link'];

/** Why a command was refused. `code` is stable and has words in the window's message map. */
export interface CommandRefusal {
  readonly code: string;
  /** For logs and the command line, in English. */
  readonly message: string;
}

/** One request over a bridge that carries text, such as the socket in the data directory: one JSON object a line. */
export const BridgeRequest = Type.Object(
  {
    id: Type.Integer({ minimum: 0 }),
    command: Type.String({ minLength: 1, maxLength: 64 }),
    params: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  { additionalProperties: false },
);
export type BridgeRequest = Static<typeof BridgeRequest>;

/** What the host answers, and what it sends by itself to whoever subscribed. */
export type BridgeMessage =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number | null; readonly error: CommandRefusal }
  | { readonly event: 'snapshot'; readonly snapshot: unknown };

/** Not a command of the host but of the connection: from now on snapshots come by themselves. */
export const SUBSCRIBE = 'subscribe';
/** Changes come in bursts; whoever subscribed gets at most one snapshot in this time, milliseconds. */
export const SNAPSHOT_INTERVAL_MS = 200;
