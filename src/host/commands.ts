import { Compile } from 'typebox/compile';
import { describeError, ProtocolError, TargetRefusal, TransportError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import {
  CommandParams,
  type CommandName,
  type CommandResults,
  type ParamsOf,
  type ResultOf,
  type Snapshot,
  type SecretsSnapshot,
} from '../bridge/index.js';
import { AckError, type Connector } from '../connector/connector.js';
import type { Delivery } from '../delivery/delivery.js';
import { SecretStoreError } from '../store/secrets/secret-store.js';
import { StoreError } from '../store/store.js';
import { SignInFailure } from '../targets/target.js';
import { LocalChatError, type LocalChat } from '../targets/local/index.js';

/** Messages listed per account at most; the window pages nothing, it shows the oldest. */
const LIST_LIMIT = 200;
/** How long a message of the local chat waits for room in a full queue before its writer is told; milliseconds. */
const LOCAL_SEND_DEADLINE_MS = 10_000;

/** The command could not be carried out; the code is stable. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** The parts of a host that commands act on. */
export interface CommandContext {
  readonly connectors: readonly Connector[];
  readonly delivery: Delivery;
  /** Undefined while the local chat is switched off. */
  readonly localChat: LocalChat | undefined;
  readonly log: Logger;
  snapshot(): Snapshot;
  /** Asks the secret store anew how it is. */
  checkSecrets(): Promise<SecretsSnapshot>;
  setPaused(paused: boolean): void;
  /** @throws CommandError `secret_store_unavailable` */
  apiKey(): Promise<string>;
  rotateApiKey(): Promise<string>;
  readonly rehearsal: {
    /** @throws CommandError `rehearsal_running` */
    start(): void;
    /** Without effect while none runs. */
    stop(): void;
  };
  /** A fresh link that opens the window in a browser, once and soon. A secret. */
  uiLink(): string;
}

/** Carries out one command. @throws CommandError for everything that it refuses */
export type Execute = <C extends CommandName>(command: C, params: unknown) => Promise<ResultOf<C>>;

type Handlers = {
  readonly [C in CommandName]: (params: ParamsOf<C>) => Promise<CommandResults[C]> | CommandResults[C];
};

/** Whether a text names a command; what it is then called with is checked by {@link createCommands}. */
export function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(CommandParams, name);
}

/** Every command of the bridge, checked and carried out in this process. */
export function createCommands(context: CommandContext): Execute {
  const handlers = createHandlers(context);
  return async (command, params) => {
    const checked = checkParams(command, params ?? {});
    try {
      return await handlers[command](checked);
    } catch (error) {
      throw refusalOf(error, command, context.log);
    }
  };
}

function createHandlers(context: CommandContext): Handlers {
  const { delivery } = context;

  function connectorNamed(name: string): Connector {
    const found = context.connectors.find(
      (connector) => connector.name === name || connector.card.connector_card_id === name,
    );
    if (found !== undefined) return found;
    const names = context.connectors.map((connector) => connector.name).join(', ');
    throw new CommandError('unknown_connector', `there is no such connector; this host has ${names || 'none'}`);
  }

  function ownerOf(accountId: string): Connector {
    const found = context.connectors.find((connector) =>
      connector.accounts().some((account) => account.accountId === accountId),
    );
    if (found === undefined) throw new CommandError('unknown_account', 'there is no such account');
    return found;
  }

  /** The connector of a sign-in that is known; one that ended is known a while longer. */
  function signInOf(params: { connector: string; authSessionId: string }): Connector {
    const connector = connectorNamed(params.connector);
    if (connector.signInState(params.authSessionId) === undefined) throw unknownSignIn();
    return connector;
  }

  function localChat(): LocalChat {
    if (context.localChat === undefined) throw new CommandError('local_disabled', 'the local chat is switched off');
    return context.localChat;
  }

  return {
    snapshot: () => context.snapshot(),
    'sign-in': ({ connector, input }) => connectorNamed(connector).signIn(input ?? {}),
    'sign-in-state': ({ connector, authSessionId }) => {
      const state = connectorNamed(connector).signInState(authSessionId);
      if (state === undefined) throw unknownSignIn();
      return state;
    },
    'sign-in-input': (params) => {
      signInOf(params).provideInput(params.authSessionId, params.input);
      return {};
    },
    'sign-in-refresh': (params) => {
      signInOf(params).refreshSignIn(params.authSessionId);
      return {};
    },
    'sign-in-cancel': (params) => {
      signInOf(params).cancelSignIn(params.authSessionId);
      return {};
    },
    'sign-out': async ({ accountId }) => {
      if (!(await ownerOf(accountId).signOut(accountId)))
        throw new CommandError('unknown_account', 'there is no such account');
      return {};
    },
    'set-deliver-to': async ({ accountId, upstream }) => {
      if (!(await ownerOf(accountId).setDeliverTo(accountId, upstream ?? undefined)))
        throw new CommandError('unknown_account', 'there is no such account');
      return {};
    },
    pending: ({ accountId }) => {
      ownerOf(accountId);
      return { messages: delivery.pending(accountId, LIST_LIMIT), held: delivery.held(accountId, LIST_LIMIT) };
    },
    // The account may be gone: how its messages ended is still told.
    ended: ({ accountId }) => ({ messages: delivery.ended(accountId, LIST_LIMIT) }),
    retry: ({ accountId }) => {
      ownerOf(accountId);
      delivery.retryNow(accountId);
      return {};
    },
    discard: async ({ accountId, messageId }) => {
      if (!(await delivery.discard(accountId, messageId))) {
        throw new CommandError('not_pending', 'this message is not pending');
      }
      return {};
    },
    pause: ({ paused }) => {
      context.setPaused(paused);
      return {};
    },
    preview: notOffered,
    history: notOffered,
    rehearse: () => {
      context.rehearsal.start();
      return {};
    },
    'rehearse-stop': () => {
      context.rehearsal.stop();
      return {};
    },
    doctor: notOffered,
    bundle: notOffered,
    settings: notOffered,
    'set-settings': notOffered,
    'retry-port': notOffered,
    'ui-link': () => ({ url: context.uiLink() }),
    'local-send': async ({ accountId, text, files = [] }) => {
      const deadline = AbortSignal.timeout(LOCAL_SEND_DEADLINE_MS);
      const { messageId } = await localChat().send(accountId, { text, files }, deadline);
      return { messageId };
    },
    'local-read': ({ accountId, after }) => localChat().read(accountId, after),
    'api-key': async () => ({ apiKey: await context.apiKey() }),
    'check-secrets': () => context.checkSecrets(),
    'rotate-api-key': async () => ({ apiKey: await context.rotateApiKey() }),
  };
}

const validators = new Map<
  CommandName,
  { Check(value: unknown): boolean; Errors(value: unknown): { instancePath: string; message: string }[] }
>();

function checkParams<C extends CommandName>(command: C, params: unknown): ParamsOf<C> {
  let validator = validators.get(command);
  if (validator === undefined) {
    validator = Compile(CommandParams[command]);
    validators.set(command, validator);
  }
  if (isValid<C>(validator, params)) return params;
  const first = validator.Errors(params)[0];
  const place = first === undefined || first.instancePath === '' ? command : `${command}${first.instancePath}`;
  throw new CommandError('invalid_params', `${place} ${first?.message ?? 'is not valid'}`);
}

function isValid<C extends CommandName>(
  validator: { Check(value: unknown): boolean },
  params: unknown,
): params is ParamsOf<C> {
  return validator.Check(params);
}

function notOffered(): never {
  throw new CommandError('not_offered', 'this host does not offer this yet');
}

function unknownSignIn(): CommandError {
  return new CommandError('auth_session_not_found', 'this sign-in is not known or has ended');
}

/** Errors that already say a stable code and words without secrets. */
const TOLD_AS_THEY_ARE = [
  ProtocolError,
  AckError,
  TargetRefusal,
  TransportError,
  SignInFailure,
  LocalChatError,
  StoreError,
  SecretStoreError,
] as const;

/** Every error as a refusal with a stable code; what nobody foresaw is logged and says no more than that. */
function refusalOf(error: unknown, command: CommandName, log: Logger): CommandError {
  if (error instanceof CommandError) return error;
  for (const family of TOLD_AS_THEY_ARE) {
    if (error instanceof family) return new CommandError(error.code, error.message);
  }
  if (error instanceof Error && error.name === 'TimeoutError') {
    return new CommandError('queue_full', 'the queue is full: no agent takes its messages');
  }
  log.error({ command, error: describeError(error) }, 'a command failed');
  return new CommandError('internal_error', 'the command failed; the log says why');
}
