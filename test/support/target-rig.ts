import type { Clock } from '../../src/base/clock.js';
import { STRAIGHT, type WayOut } from '../../src/base/proxy/way-out.js';
import type {
  AccountHandle,
  BindingState,
  ExpiredState,
  InboundMessage,
  Intake,
  IntakeBatch,
  Json,
  MessageFate,
  SignedIn,
  SignedInAccount,
  SignInProgress,
  Target,
  TargetRuntime,
  TargetSession,
} from '../../src/targets/target.js';
import { quietLog } from './quiet-log.js';

/** An intake in memory that keeps the port's promises: one step per batch, ids taken once. */
export class MemoryIntake implements Intake {
  readonly batches: IntakeBatch[] = [];
  readonly stored = new Map<string, string>();
  readonly received: { accountId: string; message: InboundMessage }[] = [];
  readonly ignored: string[] = [];
  /** Thrown by the next commits. */
  failure: Error | undefined;
  /** Batches that met it. */
  refused = 0;
  room: Promise<void> = Promise.resolve();
  /** Accounts whose queue is full, whatever `room` says. */
  readonly full = new Set<string>();
  /** The disk writes as soon as this resolves. */
  disk: Promise<void> = Promise.resolve();
  /** Batches that wait for the disk. */
  writing = 0;
  readonly #seen = new Set<string>();

  state(consumer: string, key: string): string | undefined {
    return this.stored.get(`${consumer} ${key}`);
  }

  async commit(batch: IntakeBatch): Promise<void> {
    this.writing += 1;
    await this.disk;
    this.writing -= 1;
    if (this.failure) {
      this.refused += 1;
      throw this.failure;
    }
    this.batches.push(batch);
    for (const [key, value] of Object.entries(batch.state)) {
      if (value === null) this.stored.delete(`${batch.consumer} ${key}`);
      else this.stored.set(`${batch.consumer} ${key}`, value);
    }
    for (const entry of batch.messages) {
      const id = `${entry.accountId} ${entry.message.id}`;
      if (this.#seen.has(id)) continue;
      this.#seen.add(id);
      this.received.push(entry);
    }
    this.ignored.push(...(batch.ignored ?? []).map(({ reason }) => reason));
  }

  fate(): MessageFate {
    return 'waiting';
  }

  roomFor(accountIds: readonly string[], signal: AbortSignal, enough: 'all' | 'any' = 'all'): Promise<void> {
    const isFull = (accountId: string): boolean => this.full.has(accountId);
    const full = enough === 'all' ? accountIds.some(isFull) : accountIds.length > 0 && accountIds.every(isFull);
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')));
      if (!full) this.room.then(resolve, reject);
    });
  }

  textsOf(accountId: string): string[] {
    return this.received.filter((entry) => entry.accountId === accountId).map(({ message }) => message.text);
  }
}

export interface OpenedAccount {
  readonly binding: Json;
  readonly session: TargetSession;
  readonly states: BindingState[];
  readonly bindings: Json[];
  /** The state now: `connected`, or status and code. */
  readonly state: () => string;
}

export interface SigningIn {
  readonly done: Promise<SignedIn>;
  readonly progress: SignInProgress[];
  refresh(): void;
  cancel(): void;
}

/** One target at work on a memory intake, without the rest of the host. */
export class TargetRig {
  readonly intake = new MemoryIntake();
  readonly runtime: TargetRuntime;
  /** Accounts that are signed in, whether they were opened or not. */
  readonly signedIn: SignedInAccount[] = [];
  /** Thrown when an account changes what is remembered of it. */
  bindingFailure: Error | undefined;
  readonly #sessions: TargetSession[] = [];

  constructor(target: Target, clock: Clock, wayOut: WayOut = STRAIGHT) {
    this.runtime = target.start({
      clock,
      log: quietLog,
      intake: this.intake,
      random: () => 0.5,
      wayOut,
      accounts: () => this.signedIn,
    });
  }

  signIn(
    flowId: string,
    input: Readonly<Record<string, string>>,
    existing: { accountId: string; identity: string; binding: Json }[] = [],
  ): SigningIn {
    const controller = new AbortController();
    const progress: SignInProgress[] = [];
    let refresh = (): void => undefined;
    const done = this.runtime.signIn({
      flowId,
      input,
      existing,
      signal: controller.signal,
      report: (step) => progress.push(step),
      ask: () => Promise.reject(new Error('nobody answers')),
      onRefresh: (fn) => (refresh = fn),
      credentialsOf: async () => undefined,
    });
    done.catch(() => undefined);
    return { done, progress, refresh: () => refresh(), cancel: () => controller.abort(new Error('canceled')) };
  }

  /** @param ended opens it as one whose sign-in ended in an earlier run of the program */
  open(accountId: string, signedIn: SignedIn, ended?: ExpiredState): OpenedAccount {
    const states: BindingState[] = [];
    const bindings: Json[] = [];
    const account: AccountHandle = {
      accountId,
      identity: signedIn.identity,
      binding: signedIn.binding,
      credentials: signedIn.credentials,
      report: (state) => states.push(state),
      updateBinding: async (binding) => {
        if (this.bindingFailure) throw this.bindingFailure;
        bindings.push(binding);
      },
    };
    const session = (ended && this.runtime.watch?.(account, ended)) ?? this.runtime.open(account);
    this.#sessions.push(session);
    const state = (): string => {
      const last = states.at(-1);
      return last === undefined ? 'none' : 'code' in last ? `${last.status}:${last.code}` : last.status;
    };
    return { binding: signedIn.binding, session, states, bindings, state };
  }

  async close(): Promise<void> {
    await Promise.all(this.#sessions.map((session) => session.close()));
    await this.runtime.stop();
  }
}
