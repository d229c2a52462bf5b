import type { Clock, Timer } from '../base/clock.js';
import { newId } from '../base/ids.js';
import type { Logger } from '../base/logger.js';
import type { AuthFlow } from '../protocol/index.js';
import type { SignInAttempt, SignInProgress } from '../targets/target.js';
import { secretsOf, type FormInput } from './auth-input.js';
import { renderQr } from './qr-image.js';

export interface ShownQr {
  readonly text: string;
  /** PNG data URL; empty when it could not be drawn. */
  readonly image: string;
  readonly expiresAt: number;
}

/** Where a sign-in stands. */
export type AuthState =
  | {
      readonly phase: 'running';
      readonly status: SignInProgress['status'];
      /** What to tell the person, as a code. */
      readonly code: string;
      readonly qr: ShownQr | undefined;
      /** Fields the person is asked for. */
      readonly asked: readonly string[];
    }
  | { readonly phase: 'authenticated'; readonly accountId: string }
  | {
      readonly phase: 'ended';
      readonly status: 'failed' | 'expired' | 'canceled';
      readonly code: string;
      readonly message: string;
    };

/** One try of a session. When it is over, nothing it still brings counts. */
export interface Try {
  readonly attempt: SignInAttempt;
  isCurrent(): boolean;
}

/** While the person is asked for something, whatever the network said before: nothing goes on until they give it. */
const ASKING: SignInProgress['status'] = 'pending';

interface Question {
  readonly fields: readonly string[];
  readonly code: string;
  resolve(input: FormInput): void;
  reject(reason: Error): void;
}

export interface AuthSessionParts {
  readonly flow: AuthFlow;
  /** The channel that is to be signed in; undefined for a sign-in from the window. */
  readonly channelId: string | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** How long the person may take, milliseconds. */
  readonly ttlMs: number;
  /** Told each secret that a person gave, before anyone else sees it. */
  readonly confidential: (secret: string) => void;
  readonly changed: () => void;
}

/**
 * One attempt to turn a channel, or the window, into a signed-in account: a small state machine that the network's sign-in
 * reports to, that the asking side reads, and that ends exactly once.
 */
export class AuthSession {
  readonly id = newId('auth');
  readonly flow: AuthFlow;
  readonly channelId: string | undefined;
  #state: AuthState = { phase: 'running', status: 'pending', code: 'starting', qr: undefined, asked: [] };
  #expiresAt: number;
  #expiry: Timer | undefined;
  #controller = new AbortController();
  #question: Question | undefined;
  #refresh: (() => void) | undefined;
  /** Counts reports, because drawing a QR takes time and the latest report wins. */
  #reports = 0;
  #drawn: { readonly text: string; readonly image: Promise<string> } | undefined;
  #sealed = false;
  readonly #waiters = new Set<() => void>();
  readonly #parts: AuthSessionParts;

  constructor(parts: AuthSessionParts) {
    this.#parts = parts;
    this.flow = parts.flow;
    this.channelId = parts.channelId;
    this.#expiresAt = parts.clock.now() + parts.ttlMs;
  }

  get state(): AuthState {
    return this.#state;
  }

  /** Unix ms after which the session, or the QR it shows, is of no use. */
  get expiresAt(): number {
    const qr = this.#state.phase === 'running' ? this.#state.qr : undefined;
    return qr ? Math.min(qr.expiresAt, this.#expiresAt) : this.#expiresAt;
  }

  get running(): boolean {
    return this.#state.phase === 'running';
  }

  /** Whether the account is being stored this very moment: too late to stop it. */
  get sealed(): boolean {
    return this.#sealed && this.running;
  }

  /** Whether there is something to show or to answer: a QR, a question, or the end. */
  get telling(): boolean {
    return this.#state.phase !== 'running' || this.#state.qr !== undefined || this.#state.asked.length > 0;
  }

  /** Begins a (further) try; the one before is over. */
  begin(input: FormInput, known: Pick<SignInAttempt, 'existing' | 'credentialsOf'>): Try {
    for (const secret of secretsOf(this.flow, input)) this.#parts.confidential(secret);
    this.#abandon(new Error('begun again'));
    const controller = new AbortController();
    this.#controller = controller;
    this.#refresh = undefined;
    this.#sealed = false;
    this.#restartExpiry();
    this.#set({ phase: 'running', status: 'pending', code: 'starting', qr: undefined, asked: [] });
    const isCurrent = (): boolean => this.#controller === controller && !controller.signal.aborted && this.running;
    return {
      isCurrent,
      attempt: {
        flowId: this.flow.id,
        input,
        signal: controller.signal,
        ...known,
        report: (progress) => {
          if (isCurrent()) this.#report(progress, isCurrent);
        },
        ask: (fields, code) =>
          isCurrent() ? this.#ask(fields, code) : Promise.reject(new Error('this sign-in is over')),
        onRefresh: (fn) => {
          if (isCurrent()) this.#refresh = fn;
        },
      },
    };
  }

  /**
   * From here until {@link authenticated} or {@link end} the session can't be stopped. False when it, or the try that is
   * named, is over already.
   */
  seal(of?: Try): boolean {
    if (!this.running || of?.isCurrent() === false) return false;
    this.#sealed = true;
    return true;
  }

  authenticated(accountId: string): void {
    this.#finish({ phase: 'authenticated', accountId });
  }

  /** Ends a running session; a sealed one only with `force`, by whoever sealed it. */
  end(status: 'failed' | 'expired' | 'canceled', code: string, message: string, force = false): void {
    if (!this.running || (this.#sealed && !force)) return;
    this.#finish({ phase: 'ended', status, code, message });
  }

  /** Gives what was asked for; false when not all of it is there or nothing was asked. */
  provide(input: Readonly<Record<string, unknown>>): boolean {
    const question = this.#question;
    if (!question) return false;
    const given: Record<string, string> = {};
    for (const field of question.fields) {
      const value = input[field];
      const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : '';
      if (text === '') return false;
      given[field] = text;
    }
    // A verify code is one, whatever it is called.
    for (const secret of Object.values(given)) this.#parts.confidential(secret);
    this.#question = undefined;
    if (this.#state.phase === 'running') this.#set({ ...this.#state, code: 'checking', asked: [] });
    question.resolve(given);
    return true;
  }

  /** Asks the network for a new QR and gives the person the whole time again; false where that means nothing. */
  refresh(): boolean {
    if (!this.running || this.#sealed || !this.#refresh) return false;
    this.#restartExpiry();
    this.#refresh();
    return true;
  }

  /** Waits until `done` holds or `ms` milliseconds passed. */
  async waitUntil(done: () => boolean, ms: number): Promise<void> {
    if (done()) return;
    await new Promise<void>((resolve) => {
      const settle = (): void => {
        timer.cancel();
        this.#waiters.delete(look);
        resolve();
      };
      const look = (): void => {
        if (done()) settle();
      };
      const timer = this.#parts.clock.after(ms, settle);
      this.#waiters.add(look);
    });
  }

  #report(progress: SignInProgress, isCurrent: () => boolean): void {
    this.#reports += 1;
    const report = this.#reports;
    const qr = 'qr' in progress ? progress.qr : undefined;
    if (!qr) {
      this.#show(progress, progress.status === 'qr_refresh_required' ? undefined : this.#shownQr());
      return;
    }
    if (qr.text !== this.#drawn?.text) {
      // A new code makes a question about the old one pointless.
      this.#dropQuestion(new Error('a new QR code is shown'));
      this.#drawn = { text: qr.text, image: renderQr(qr.text, this.#parts.log) };
    }
    void this.#drawn.image.then((image) => {
      if (isCurrent() && report === this.#reports) this.#show(progress, { ...qr, image });
    });
  }

  #shownQr(): ShownQr | undefined {
    return this.#state.phase === 'running' ? this.#state.qr : undefined;
  }

  #show(progress: SignInProgress, qr: ShownQr | undefined): void {
    this.#set({
      phase: 'running',
      status: this.#question ? ASKING : progress.status,
      code: this.#question?.code ?? progress.message,
      qr,
      asked: this.#question?.fields ?? [],
    });
  }

  #ask(fields: readonly string[], code: string): Promise<FormInput> {
    this.#dropQuestion(new Error('asked again'));
    return new Promise<FormInput>((resolve, reject) => {
      this.#question = { fields, code, resolve, reject };
      if (this.#state.phase === 'running') this.#set({ ...this.#state, status: ASKING, code, asked: fields });
    });
  }

  #dropQuestion(reason: Error): void {
    this.#question?.reject(reason);
    this.#question = undefined;
  }

  #restartExpiry(): void {
    this.#expiry?.cancel();
    this.#expiresAt = this.#parts.clock.now() + this.#parts.ttlMs;
    // Runs on monotonic time: setting the system clock neither ends a session nor keeps it.
    this.#expiry = this.#parts.clock.after(this.#parts.ttlMs, () =>
      this.end('expired', 'session_expired', 'the sign-in was not completed in time'),
    );
  }

  #finish(state: AuthState): void {
    this.#state = state;
    this.#expiry?.cancel();
    this.#abandon(new Error('the sign-in is over'));
    this.#tell();
  }

  #abandon(reason: Error): void {
    this.#dropQuestion(reason);
    this.#drawn = undefined;
    this.#controller.abort(reason);
  }

  #set(state: AuthState): void {
    this.#state = state;
    this.#tell();
  }

  #tell(): void {
    for (const look of [...this.#waiters]) look();
    this.#parts.changed();
  }
}
