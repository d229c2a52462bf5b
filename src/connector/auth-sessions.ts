import type { Clock } from '../base/clock.js';
import { describeError, TargetRefusal, TransportError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type { AuthFlow } from '../protocol/index.js';
import { SecretStoreError } from '../store/secrets/secret-store.js';
import { StoreError } from '../store/store.js';
import { SignInFailure, type SignedIn, type SignInAttempt } from '../targets/target.js';
import type { FormInput } from './auth-input.js';
import { AuthSession, type Try } from './auth-session.js';
import { ownWords, type OwnCode } from './messages.js';

/** Ended sessions that are still answered for, so that a late `auth.status` learns how its session ended. */
const MAX_ENDED_SESSIONS = 64;

export interface AuthSessionsParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly ttlMs: number;
  signIn(attempt: SignInAttempt): Promise<SignedIn>;
  readonly known: () => Pick<SignInAttempt, 'existing' | 'credentialsOf'>;
  /**
   * Stores who signed in, and returns the account. Must call `seal` inside the transaction that does it: it throws when the
   * session ended meanwhile, and afterwards the session can't end otherwise than with that transaction.
   */
  bind(signedIn: SignedIn, session: AuthSession, input: FormInput, seal: () => void): Promise<string>;
  readonly changed: (session: AuthSession) => void;
}

/** Why nothing came of a sign-in that the network said yes to: it was canceled, superseded or too late. */
class SignInOver extends Error {
  override readonly name = 'SignInOver';
}

/** The sign-ins in progress, at most one a channel and one for the window, and how the last ones ended. */
export class AuthSessions {
  readonly #sessions = new Map<string, AuthSession>();
  readonly #parts: AuthSessionsParts;

  constructor(parts: AuthSessionsParts) {
    this.#parts = parts;
  }

  get(id: string): AuthSession | undefined {
    return this.#sessions.get(id);
  }

  /** The running session of a channel, or of the window when undefined. */
  runningOf(channelId: string | undefined): AuthSession | undefined {
    for (const session of this.#sessions.values()) {
      if (session.channelId === channelId && session.running) return session;
    }
    return undefined;
  }

  /** Begins a sign-in; an unfinished one of the same channel is superseded (R19). */
  start(flow: AuthFlow, input: FormInput, channelId: string | undefined): AuthSession {
    this.end(channelId, 'superseded');
    const session = this.#add(flow, channelId);
    this.#begin(session, input);
    return session;
  }

  /** A session that found its account signed in already. */
  completed(flow: AuthFlow, channelId: string, accountId: string): AuthSession {
    this.end(channelId, 'superseded');
    const session = this.#add(flow, channelId);
    session.authenticated(accountId);
    return session;
  }

  /** Tries again within an ended session, for a client that asks for a new QR and not for a new session. */
  restart(session: AuthSession): void {
    this.end(session.channelId, 'superseded');
    this.#begin(session, {});
  }

  /** Ends what a channel, or the window, has running. */
  end(channelId: string | undefined, code: 'canceled' | 'superseded'): void {
    this.runningOf(channelId)?.end('canceled', code, ownWords(code));
  }

  /** Ends every sign-in of a channel, or every sign-in there is. */
  endAll(which: 'of channels' | 'all'): void {
    for (const session of this.#sessions.values()) {
      if (which === 'all' || session.channelId !== undefined) session.end('canceled', 'canceled', ownWords('canceled'));
    }
  }

  #add(flow: AuthFlow, channelId: string | undefined): AuthSession {
    const { clock, log, ttlMs, changed } = this.#parts;
    const session: AuthSession = new AuthSession({
      flow,
      channelId,
      clock,
      log,
      ttlMs,
      changed: () => changed(session),
    });
    this.#sessions.set(session.id, session);
    this.#forgetOldest();
    return session;
  }

  #forgetOldest(): void {
    const ended = [...this.#sessions.values()].filter((session) => !session.running);
    for (const session of ended.slice(0, -MAX_ENDED_SESSIONS)) this.#sessions.delete(session.id);
  }

  #begin(session: AuthSession, input: FormInput): void {
    const turn = session.begin(input, this.#parts.known());
    void this.#run(session, turn, input);
  }

  async #run(session: AuthSession, turn: Try, input: FormInput): Promise<void> {
    try {
      const signedIn = await this.#parts.signIn(turn.attempt);
      if (!turn.isCurrent()) throw new SignInOver('the sign-in is over');
      const accountId = await this.#parts.bind(signedIn, session, input, () => {
        if (!session.seal(turn)) throw new SignInOver('the sign-in is over');
      });
      session.authenticated(accountId);
    } catch (error) {
      if (error instanceof SignInOver || !turn.isCurrent()) {
        this.#parts.log.info({ session: session.id }, 'a sign-in that had ended came to nothing');
        return;
      }
      const failure = explain(error);
      this.#parts.log.warn({ code: failure.code, error: describeError(error) }, 'a sign-in failed');
      session.end(failure.status, failure.code, failure.message, true);
    }
  }
}

function explain(error: unknown): { status: 'failed' | 'expired'; code: string; message: string } {
  if (error instanceof SignInFailure) return { status: error.status, code: error.code, message: error.message };
  if (error instanceof TargetRefusal) return { status: 'failed', code: error.code, message: error.message };
  if (error instanceof TransportError) return failedWith('network_unreachable');
  if (error instanceof SecretStoreError) return failedWith('secrets_unavailable');
  if (error instanceof StoreError) return failedWith('store_unavailable');
  return failedWith('internal_error');
}

function failedWith(code: OwnCode): { status: 'failed'; code: string; message: string } {
  return { status: 'failed', code, message: ownWords(code) };
}
