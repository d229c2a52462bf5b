import type { ResultOf } from '../../../../src/bridge/index.js';
import { asRefusal, type BridgeClient, type CommandRefused } from '../../bridge/client.js';
import { Listeners } from '../../bridge/listeners.js';

type Facts = ResultOf<'sign-in'>;
export type RunningFacts = Extract<Facts, { status: 'pending' | 'scanned' | 'qr_refresh_required' }>;
export type EndedFacts = Extract<Facts, { status: 'failed' | 'expired' | 'canceled' }>;

/** Where a sign-in of this window stands. */
export type SignIn =
  | { readonly phase: 'none' }
  /** Asked for; the host has not answered yet. */
  | { readonly phase: 'starting' }
  | { readonly phase: 'running'; readonly facts: RunningFacts; readonly shown: ShownCode | undefined }
  | { readonly phase: 'done'; readonly accountId: string }
  | { readonly phase: 'ended'; readonly facts: EndedFacts; readonly shown: ShownCode | undefined }
  /** The host did not take it up at all. */
  | { readonly phase: 'refused'; readonly refusal: CommandRefused };

/** A code that is or was shown, and when it first was. */
export interface ShownCode {
  readonly text: string;
  readonly expiresAt: number;
  readonly shownAt: number;
  /** How many codes this sign-in showed so far, this one included. */
  readonly turn: number;
}

type Input = Readonly<Record<string, string>>;

/**
 * One sign-in after another of one network, followed from its beginning to its end. Whoever leaves ends it: the host then has
 * nothing more to wait for.
 */
export class SignInSession {
  readonly #bridge: BridgeClient;
  readonly #connector: string;
  readonly #listeners = new Listeners();
  #state: SignIn = { phase: 'none' };
  /** Counts beginnings: what an earlier one still brings does not count. */
  #turn = 0;
  #sessionId: string | undefined;
  #asking = false;

  constructor(bridge: BridgeClient, connector: string) {
    this.#bridge = bridge;
    this.#connector = connector;
  }

  readonly state = (): SignIn => this.#state;

  readonly subscribe = (fn: () => void): (() => void) => this.#listeners.add(fn);

  /** Begins anew; one that runs is ended. */
  async begin(input?: Input): Promise<void> {
    const turn = this.#leave();
    this.#set({ phase: 'starting' });
    try {
      const facts = await this.#bridge.call('sign-in', {
        connector: this.#connector,
        ...(input && { input: { ...input } }),
      });
      if (turn === this.#turn) this.#take(facts);
      else this.#cancelAtHost(facts.authSessionId);
    } catch (error) {
      if (turn === this.#turn) this.#set({ phase: 'refused', refusal: asRefusal(error) });
    }
  }

  /** Asks how it stands; called once a second. */
  async follow(): Promise<void> {
    const authSessionId = this.#sessionId;
    if (this.#state.phase !== 'running' || authSessionId === undefined || this.#asking) return;
    const turn = this.#turn;
    this.#asking = true;
    try {
      const facts = await this.#bridge.call('sign-in-state', { connector: this.#connector, authSessionId });
      if (turn === this.#turn) this.#take(facts);
    } catch (error) {
      const refusal = asRefusal(error);
      // Out of reach for a moment: the next second asks again.
      if (turn === this.#turn && refusal.code !== 'unreachable') this.#set({ phase: 'refused', refusal });
    } finally {
      this.#asking = false;
    }
  }

  /** What the person was asked for, such as a verify code. @throws CommandRefused */
  async provide(input: Input): Promise<void> {
    if (this.#sessionId === undefined) return;
    const authSessionId = this.#sessionId;
    await this.#bridge.call('sign-in-input', { connector: this.#connector, authSessionId, input: { ...input } });
    await this.follow();
  }

  /** A new code, by the session that runs, or by a new one where it ended. */
  async renew(input?: Input): Promise<void> {
    const authSessionId = this.#sessionId;
    if (this.#state.phase !== 'running' || authSessionId === undefined) return this.begin(input);
    const turn = this.#turn;
    try {
      await this.#bridge.call('sign-in-refresh', { connector: this.#connector, authSessionId });
      await this.follow();
    } catch {
      // Not for a person who left meanwhile.
      if (turn === this.#turn) await this.begin(input);
    }
  }

  /** Ends it; the form is there again. */
  cancel(): void {
    this.#leave();
    this.#set({ phase: 'none' });
  }

  #leave(): number {
    this.#turn += 1;
    if (this.#state.phase === 'running') this.#cancelAtHost(this.#sessionId);
    this.#sessionId = undefined;
    return this.#turn;
  }

  #cancelAtHost(authSessionId: string | undefined): void {
    if (authSessionId === undefined) return;
    // It may have ended meanwhile, which is as good.
    this.#bridge.call('sign-in-cancel', { connector: this.#connector, authSessionId }).catch(() => undefined);
  }

  #take(facts: Facts): void {
    this.#sessionId = facts.authSessionId;
    const before = this.#state.phase === 'running' ? this.#state.shown : undefined;
    switch (facts.status) {
      case 'authenticated':
        this.#set({ phase: 'done', accountId: facts.accountId });
        return;
      case 'failed':
      case 'expired':
      case 'canceled':
        this.#set({ phase: 'ended', facts, shown: before });
        return;
      default:
        this.#set({ phase: 'running', facts, shown: shownOf(facts, before) });
    }
  }

  #set(state: SignIn): void {
    this.#state = state;
    this.#listeners.call();
  }
}

function shownOf({ qr }: RunningFacts, before: ShownCode | undefined): ShownCode | undefined {
  if (qr === undefined) return before;
  // A code that was scanned is given more time to be confirmed.
  if (qr.text === before?.text) return { ...before, expiresAt: qr.expiresAt };
  return { text: qr.text, expiresAt: qr.expiresAt, shownAt: Date.now(), turn: (before?.turn ?? 0) + 1 };
}
