import type { Clock } from '../base/clock.js';
import { describeError, TargetRefusal, TransportError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { ProxyError } from '../base/proxy/proxy-error.js';
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
  /** Told each secret that a person gave, before anyone else sees it. */
  readonly confidential: (secret: string) => void;
  readonly changed: (session: AuthSession) => void;
}

/** Why nothing came of a sign-in that the network said yes to, or that was done already: it was canceled, superseded or too late. */
export class SignInOver extends Error {
  override readonly name = 'SignInOver';
}

/**
 * The sign-ins in progress and how the last ones ended. Of a channel, and of the window, at most one is at the network; one
 * that was asked for later may be finding out whether it is needed at all.
 */
export class AuthSessions {
  readonly #sessions = new Map<string, AuthSession>();
  readonly #parts: AuthSessionsParts;

  constructor(parts: AuthSessionsParts) {
    this.#parts = parts;
  }

  get(id: string): AuthSession | undefined {
    return this.#sessions.get(id);
  }

  /** The newest running session of a channel, or of the window when undefined. */
  runningOf(channelId: string | undefined): AuthSession | undefined {
    return this.#runningOf(channelId).at(-1);
  }

  /** What runs on any channel, oldest first. */
  runningOfChannels(): AuthSession[] {
    return [...this.#sessions.values()].filter((session) => session.channelId !== undefined && session.running);
  }

  /**
   * A session that does nothing yet. It is there from the moment it is asked for, so that whatever comes next, a cancel or
   * the end of its channel, finds and ends it.
   */
  open(flow: AuthFlow, channelId: string | undefined): AuthSession {
    return this.#add(flow, channelId);
  }

  /** Begins the sign-in of an opened session, unless it ended meanwhile; unfinished ones before it are superseded (R19). */
  begin(session: AuthSession, input: FormInput): void {
    if (!session.running) return;
    this.#supersedeBefore(session);
    this.#begin(session, input);
  }

  /** An opened session found its account signed in already. */
  complete(session: AuthSession, accountId: string): void {
    if (!session.running) return;
    this.#supersedeBefore(session);
    session.authenticated(accountId);
  }

  /** Tries again within an ended session, for a client that asks for a new QR and not for a new session. */
  restart(session: AuthSession): void {
    this.end(session.channelId, 'superseded');
    this.#begin(session, {});
  }

  /** Ends what a channel, or the window, has running. */
  end(channelId: string | undefined, code: 'canceled' | 'superseded'): void {
    for (const session of this.#runningOf(channelId)) session.end('canceled', code, ownWords(code));
  }

  /** Ends every sign-in of a channel, or every sign-in there is. */
  endAll(which: 'of channels' | 'all'): void {
    for (const session of this.#sessions.values()) {
      if (which === 'all' || session.channelId !== undefined) session.end('canceled', 'canceled', ownWords('canceled'));
    }
  }

  #runningOf(channelId: string | undefined): AuthSession[] {
    return [...this.#sessions.values()].filter((session) => session.channelId === channelId && session.running);
  }

  #supersedeBefore(session: AuthSession): void {
    const running = this.#runningOf(session.channelId);
    for (const older of running.slice(0, running.indexOf(session))) {
      older.end('canceled', 'superseded', ownWords('superseded'));
    }
  }

  #add(flow: AuthFlow, channelId: string | undefined): AuthSession {
    const { clock, log, ttlMs, confidential, changed } = this.#parts;
    const session: AuthSession = new AuthSession({
      flow,
      channelId,
      clock,
      log,
      ttlMs,
      confidential,
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
  if (error instanceof ProxyError) return failedWith(error.code);
  if (error instanceof TransportError) {
    return failedWith(error.code === 'certificate_refused' ? error.code : 'network_unreachable');
  }
  if ((error instanceof SecretStoreError || error instanceof StoreError) && error.code === 'disk_full') {
    return failedWith('disk_full');
  }
  if (error instanceof SecretStoreError) {
    // The disk below a secrets file is no lock that a person could open.
    return failedWith(error.code === 'read_only' ? 'store_unavailable' : 'secrets_unavailable');
  }
  if (error instanceof StoreError) return failedWith('store_unavailable');
  return failedWith('internal_error');
}

function failedWith(code: OwnCode): { status: 'failed'; code: string; message: string } {
  return { status: 'failed', code, message: ownWords(code) };
}
