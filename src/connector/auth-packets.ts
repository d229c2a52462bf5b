import {
  ErrorCode,
  type AuthAckPayload,
  type AuthCancelPayload,
  type AuthFlow,
  type AuthStartPayload,
  type AuthStatusPayload,
  type ConnectionDescriptor,
} from '../protocol/index.js';
import { StoreError } from '../store/store.js';
import type { DeliverTo } from './connector.js';
import type { Account, Accounts } from './accounts.js';
import { chooseFlow, completeInput, readInput } from './auth-input.js';
import type { AuthSession } from './auth-session.js';
import { SignInOver, type AuthSessions } from './auth-sessions.js';
import type { Bindings } from './bindings.js';
import type { Channel } from './channels.js';
import { AckError, type AuthCancelAck } from './connector.js';
import { inputDigest } from './credentials.js';
import { isAuthenticated } from './descriptor.js';
import { ownWords, words } from './messages.js';

/**
 * How long `auth.start` and a refresh wait for a QR or an outcome before they answer `pending`, milliseconds. Long enough
 * for a form to be checked by the network, short of any client's patience.
 */
export const AUTH_ANSWER_WAIT_MS = 5_000;
/** Suggested polling while there is nothing to show yet, and afterwards; milliseconds. */
const POLL_SOON_MS = 500;
const POLL_MS = 2_000;

export interface AuthPacketsParts {
  readonly flows: readonly AuthFlow[];
  readonly deliverTo: DeliverTo;
  readonly sessions: AuthSessions;
  readonly bindings: Bindings;
  readonly accounts: Accounts;
}

/** The channel's descriptor, for the data plane that asks. */
export type Describe = () => ConnectionDescriptor;

/** The `auth.*` packets of an agent on an open channel (sections 8.7 to 8.14), over the same sessions the window uses. */
export class AuthPackets {
  readonly #parts: AuthPacketsParts;

  constructor(parts: AuthPacketsParts) {
    this.#parts = parts;
  }

  /**
   * Signs the channel in, or answers `authenticated` at once where that is done already (R19).
   * @throws AckError `auth_start_failed` for an unknown flow or a missing field
   */
  async start(channel: Channel, payload: AuthStartPayload, describe: Describe): Promise<AuthAckPayload> {
    const { flows, deliverTo, sessions } = this.#parts;
    const flow = chooseFlow(flows, payload.flow_id);
    const identity = { connector_channel_id: channel.channelId, flow_id: flow.id };
    if (deliverTo === 'agentServer') {
      return { ...identity, status: 'failed', message: ownWords('agent_server_only') };
    }
    const given = readInput(flow, payload.input);
    const isEmpty = Object.keys(given).length === 0;
    const digest = isEmpty ? undefined : inputDigest(flow.id, completeInput(flow, given));

    const session = sessions.open(flow, channel.channelId);
    try {
      const signedIn = await this.#reuse(
        session,
        channel,
        (account) => isEmpty || account.stored?.inputDigest === digest,
      );
      if (signedIn) sessions.complete(session, signedIn.row.accountId);
      else if (session.running) sessions.begin(session, completeInput(flow, given));
    } catch (error) {
      // Nobody was told of it: the answer is the error.
      session.end('canceled', 'canceled', ownWords('canceled'), true);
      throw error;
    }
    await session.waitUntil(() => session.telling, AUTH_ANSWER_WAIT_MS);
    await this.#connected(channel, session);
    const ack = this.#ack(channel, session, describe);
    // Section 8.8 has no `unauthenticated`: a sign-in that was canceled while its start was being answered has failed.
    return ack.status === 'unauthenticated' ? { ...ack, status: 'failed', message: ownWords('canceled') } : ack;
  }

  /**
   * Where a session stands; without a session id, where the channel stands (R18).
   * @throws AckError `auth_session_not_found`
   */
  async status(channel: Channel, payload: AuthStatusPayload, describe: Describe): Promise<AuthAckPayload> {
    if (!payload.auth_session_id) return this.#channelAck(channel, payload.flow_id, describe);
    const session = this.#session(channel, payload.auth_session_id);
    if (!session) throw new AckError(ErrorCode.authSessionNotFound, 'there is no such authentication session');
    if (payload.input) session.provide(payload.input);
    if (payload.refresh) await this.#refresh(channel, session);
    await this.#connected(channel, session);
    return this.#ack(channel, session, describe);
  }

  /** Ends an unfinished session; without a session id, the channel's running one (R20). */
  async cancel(channel: Channel, payload: AuthCancelPayload, describe: Describe): Promise<AuthCancelAck> {
    const { sessions } = this.#parts;
    const session = payload.auth_session_id
      ? this.#session(channel, payload.auth_session_id)
      : sessions.runningOf(channel.channelId);
    const identity = {
      connector_channel_id: channel.channelId,
      auth_session_id: session?.id ?? payload.auth_session_id ?? '',
    };
    if (session?.sealed) await session.waitUntil(() => !session.running, AUTH_ANSWER_WAIT_MS);
    // Without a session id it is the channel's sign-in that ends, in whatever sessions it is under way.
    if (payload.auth_session_id) session?.end('canceled', 'canceled', ownWords('canceled'));
    else sessions.end(channel.channelId, 'canceled');
    const current = this.#current(channel, describe);
    if (!session) {
      return { ...identity, status: 'not_found', ...current, message: 'There is no such authentication session' };
    }
    const { state } = session;
    if (state.phase === 'ended' && state.code === 'canceled') {
      return { ...identity, status: 'canceled', ...current, message: 'Authentication canceled' };
    }
    return { ...identity, status: 'ignored', ...current, message: 'Authentication has ended already' };
  }

  async #reuse(
    session: AuthSession,
    channel: Channel,
    fits: (account: Account) => boolean,
  ): Promise<Account | undefined> {
    try {
      return await this.#parts.bindings.reuse(channel.channelId, fits, () => {
        if (!session.seal()) throw new SignInOver('the sign-in is over');
      });
    } catch (error) {
      if (error instanceof SignInOver) return undefined;
      if (!(error instanceof StoreError)) throw error;
      throw new AckError(ErrorCode.authStartFailed, ownWords('store_unavailable'));
    }
  }

  async #refresh(channel: Channel, session: AuthSession): Promise<void> {
    const before = qrText(session);
    if (session.running) {
      if (!session.refresh()) return;
    } else {
      // A client that shows "expired" with a refresh button asks for a new QR, not for a new session.
      const { state } = session;
      const isOver = state.phase === 'ended' && state.status !== 'canceled';
      if (!isOver || session.flow.type !== 'qr_login' || this.#authenticated(channel)) return;
      this.#parts.sessions.restart(session);
    }
    await session.waitUntil(
      () => !session.running || (qrText(session) !== undefined && qrText(session) !== before),
      AUTH_ANSWER_WAIT_MS,
    );
  }

  async #connected({ accountId }: Channel, session: AuthSession): Promise<void> {
    // So that the descriptor of the answer tells of tools that can be used.
    if (session.state.phase === 'authenticated' && accountId !== undefined) await this.#parts.accounts.tried(accountId);
  }

  #ack(channel: Channel, session: AuthSession, describe: Describe): AuthAckPayload {
    const { state } = session;
    const identity = {
      connector_channel_id: channel.channelId,
      flow_id: session.flow.id,
      auth_session_id: session.id,
    };
    switch (state.phase) {
      case 'running':
        return {
          ...identity,
          status: state.status,
          ...(state.qr && { qr_code_text: state.qr.text }),
          ...(state.qr?.image && { qr_code_image: state.qr.image }),
          expires_at: session.expiresAt,
          poll_interval_millis: session.telling ? POLL_MS : POLL_SOON_MS,
          message: words(state.code, ownWords('checking')),
          ...(state.asked.length > 0 && { input_required: [...state.asked] }),
        };
      case 'authenticated':
        // The session's account may have been signed out, or moved to another channel, since.
        return { ...this.#channelAck(channel, session.flow.id, describe), auth_session_id: session.id };
      case 'ended':
        return state.status === 'canceled' && state.code === 'canceled'
          ? { ...this.#channelAck(channel, session.flow.id, describe), auth_session_id: session.id }
          : {
              ...identity,
              // Superseded is `expired` to the client: that session is dead, and nothing is said about the channel.
              status: state.status === 'canceled' ? 'expired' : state.status,
              message: words(state.code, state.message),
            };
    }
  }

  #channelAck(channel: Channel, flowId: string | null | undefined, describe: Describe): AuthAckPayload {
    const status = this.#authenticated(channel) ? 'authenticated' : 'unauthenticated';
    return {
      connector_channel_id: channel.channelId,
      ...(flowId && { flow_id: flowId }),
      status,
      message: ownWords(status),
      connection_descriptor: describe(),
    };
  }

  #current(channel: Channel, describe: Describe): Pick<AuthCancelAck, 'auth_status' | 'connection_descriptor'> {
    return this.#authenticated(channel)
      ? { auth_status: 'authenticated', connection_descriptor: describe() }
      : { auth_status: 'unauthenticated' };
  }

  #session(channel: Channel, sessionId: string): AuthSession | undefined {
    const session = this.#parts.sessions.get(sessionId);
    return session?.channelId === channel.channelId ? session : undefined;
  }

  #authenticated(channel: Channel): boolean {
    const account = channel.accountId === undefined ? undefined : this.#parts.accounts.get(channel.accountId);
    return account !== undefined && isAuthenticated(account.state);
  }
}

function qrText(session: AuthSession): string | undefined {
  return session.state.phase === 'running' ? session.state.qr?.text : undefined;
}
