import type {
  BundleFacts,
  CommandName,
  CommandResults,
  Finding,
  OnboardingStep,
  ParamsOf,
  SecretsSnapshot,
  SettingsFacts,
  Snapshot,
} from '../bridge/index.js';
import type { Clock } from '../base/clock.js';
import { deadlineSignal } from '../base/deadline.js';
import type { Connector } from '../connector/connector.js';
import type { Delivery } from '../delivery/delivery.js';
import type { Logger } from '../base/logger.js';
import type { LocalChat } from '../targets/local/index.js';
import { CommandError } from './command-error.js';

/** Messages listed per account at most; the window pages nothing, it shows the oldest. */
const LIST_LIMIT = 200;
/** How long a command waits for the local chat: to be open, and for room in a full queue; milliseconds. */
const LOCAL_CHAT_DEADLINE_MS = 10_000;

/** The parts of a host that commands act on. */
export interface CommandContext {
  readonly connectors: readonly Connector[];
  readonly delivery: Delivery;
  /** Undefined while the local chat is switched off. */
  readonly localChat: LocalChat | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  snapshot(): Snapshot;
  /** Asks the secret store anew how it is. */
  checkSecrets(): Promise<SecretsSnapshot>;
  setPaused(paused: boolean): void;
  /** @throws CommandError `secret_store_unavailable` */
  apiKey(): Promise<string>;
  rotateApiKey(): Promise<string>;
  settings(): Promise<SettingsFacts>;
  changeSettings(change: ParamsOf<'set-settings'>): Promise<SettingsFacts>;
  setOnboarding(step: OnboardingStep): Promise<void>;
  /** Tries once more to listen on a port that was taken. @throws CommandError when it still is */
  retryPort(): Promise<void>;
  doctor(): Promise<readonly Finding[]>;
  /** @throws CommandError `secret_found` */
  bundle(): Promise<BundleFacts>;
  readonly rehearsal: {
    /** @throws CommandError `rehearsal_running` */
    start(): void;
    /** Without effect while none runs. */
    stop(): void;
  };
  /** A fresh link that opens the window in a browser, once and soon. A secret. */
  uiLink(): string;
}

/** How each command of the bridge is carried out; parameters are checked, errors are not yet refusals. */
export type Handlers = {
  readonly [C in CommandName]: (params: ParamsOf<C>) => Promise<CommandResults[C]> | CommandResults[C];
};

export function createHandlers(context: CommandContext): Handlers {
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
    const found = context.connectors.find((connector) => connector.hasAccount(accountId));
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

  /** Acts on the local chat once this account of it is at work, which may be a moment after the start. */
  async function inChat<T>(
    accountId: string,
    act: (chat: LocalChat, deadline: AbortSignal) => Promise<T> | T,
  ): Promise<T> {
    const chat = localChat();
    const isLocal = ownerOf(accountId).name === 'local';
    if (!isLocal) throw new CommandError('unknown_account', 'there is no such chat');
    const deadline = deadlineSignal(context.clock, LOCAL_CHAT_DEADLINE_MS);
    try {
      await chat.opened(accountId, deadline.signal);
      return await act(chat, deadline.signal);
    } finally {
      deadline.done();
    }
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
    reconnect: ({ accountId }) => {
      ownerOf(accountId).wake();
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
    preview: ({ accountId, messageId }) => {
      ownerOf(accountId);
      const text = delivery.text(accountId, messageId);
      if (text === undefined) throw new CommandError('not_pending', 'this message is not pending');
      return { text };
    },
    history: () => delivery.traffic(),
    rehearse: () => {
      context.rehearsal.start();
      return {};
    },
    'rehearse-stop': () => {
      context.rehearsal.stop();
      return {};
    },
    doctor: async () => ({ findings: await context.doctor() }),
    bundle: () => context.bundle(),
    settings: () => context.settings(),
    'set-settings': (change) => context.changeSettings(change),
    'set-onboarding': async ({ step }) => {
      await context.setOnboarding(step);
      return {};
    },
    'retry-port': async () => {
      await context.retryPort();
      return {};
    },
    'ui-link': () => ({ url: context.uiLink() }),
    'local-send': ({ accountId, text, files = [] }) =>
      inChat(accountId, async (chat, deadline) => {
        const { messageId } = await chat.send(accountId, { text, files }, deadline);
        return { messageId };
      }),
    'local-read': ({ accountId, after }) => inChat(accountId, (chat) => chat.read(accountId, after)),
    'api-key': async () => ({ apiKey: await context.apiKey() }),
    'check-secrets': () => context.checkSecrets(),
    'rotate-api-key': async () => ({ apiKey: await context.rotateApiKey() }),
  };
}

function unknownSignIn(): CommandError {
  return new CommandError('auth_session_not_found', 'this sign-in is not known or has ended');
}
