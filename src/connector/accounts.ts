import { backoffDelay } from '../base/backoff.js';
import type { Clock, Timer } from '../base/clock.js';
import { describeError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { within } from '../base/within.js';
import type { Delivery } from '../delivery/delivery.js';
import { SecretStoreError } from '../store/secrets/secret-store.js';
import type { Store } from '../store/store.js';
import type { AccountHandle, BindingState, SignedInAccount, TargetRuntime, TargetSession } from '../targets/target.js';
import { putAccountBinding, putAccountState, type AccountRow } from './account-store.js';
import type { DeliverTo } from './connector.js';
import { SECRET_RETRY, type CredentialVault, type StoredCredentials } from './credentials.js';
import { isAuthenticated } from './descriptor.js';

/** How long a session may take to let go of its network connection before it is left behind, milliseconds. */
const CLOSE_DEADLINE_MS = 3_000;
/** How long what an agent asks for waits for a line that is just being made, milliseconds. Mostly that takes one request. */
const CONNECT_WAIT_MS = 1_500;

/** A sign-in to the network, at work or waiting for its credentials. */
export interface Account {
  readonly row: AccountRow;
  readonly state: BindingState;
  readonly session: TargetSession | undefined;
  /** What the session was opened with; undefined while the secret store has not given it out. */
  readonly stored: StoredCredentials | undefined;
  /** Undefined until it was opened once. */
  readonly handle: AccountHandle | undefined;
}

interface MutableAccount extends Account {
  row: AccountRow;
  state: BindingState;
  session: TargetSession | undefined;
  stored: StoredCredentials | undefined;
  handle: AccountHandle | undefined;
  failures: number;
  retry: Timer | undefined;
  /** Raised with every opening and closing: what an earlier session still reports is not heard. */
  generation: number;
  /** Who waits until it is known how the account stands. */
  readonly waiting: (() => void)[];
}

export interface AccountsParts {
  readonly runtime: () => TargetRuntime;
  readonly vault: CredentialVault;
  readonly store: Store;
  readonly delivery: Pick<Delivery, 'attach'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
  /** The account's projection may have changed. */
  readonly changed: (accountId: string) => void;
}

/** The accounts of one connector and their sessions: one open session each, whoever its messages go to. */
export class Accounts {
  readonly #accounts = new Map<string, MutableAccount>();
  readonly #parts: AccountsParts;

  constructor(parts: AccountsParts) {
    this.#parts = parts;
  }

  load(rows: readonly AccountRow[]): void {
    for (const row of rows) this.#add(row, this.#restored(row.lastState));
  }

  all(): readonly Account[] {
    return [...this.#accounts.values()];
  }

  /** Those whose sign-in holds, with and without a session. */
  signedInNow(): readonly SignedInAccount[] {
    return this.all()
      .filter(({ state }) => isAuthenticated(state))
      .map(({ row: { accountId, binding } }) => ({ accountId, binding }));
  }

  get(accountId: string): Account | undefined {
    return this.#accounts.get(accountId);
  }

  withIdentity(identity: string): Account | undefined {
    return this.all().find((account) => account.row.identity === identity);
  }

  /** Takes over what a sign-in stored, new account or renewed one, and opens its session. */
  signedIn(row: AccountRow, stored: StoredCredentials): void {
    const account = this.#accounts.get(row.accountId) ?? this.#add(row, row.lastState);
    account.row = row;
    account.state = row.lastState;
    this.#openWith(account, stored);
    this.#parts.changed(row.accountId);
  }

  /** Resolves once an account that is just being connected is so, or is known not to be; after {@link CONNECT_WAIT_MS} at the latest. */
  async tried(accountId: string): Promise<void> {
    const account = this.#accounts.get(accountId);
    if (!account || !isConnecting(account.state)) return;
    await within(this.#parts.clock, CONNECT_WAIT_MS, new Promise<void>((resolve) => account.waiting.push(resolve)));
  }

  /** A channel holds the account from now on. */
  claimed(accountId: string): void {
    const account = this.#accounts.get(accountId);
    if (account) account.row = { ...account.row, claimed: true };
  }

  /** The person chose where its messages go, and that is stored. */
  deliversTo(accountId: string, deliverTo: DeliverTo | undefined): void {
    const account = this.#accounts.get(accountId);
    if (account) account.row = { ...account.row, deliverTo };
    this.#parts.changed(accountId);
  }

  /** Opens every account that can work; those whose credentials are locked away are tried again by themselves. */
  async openAll(): Promise<void> {
    await Promise.all([...this.#accounts.keys()].map((accountId) => this.open(accountId)));
  }

  /**
   * Opens an account that has no session. One that is expired or revoked waits for a new sign-in: asking the network again
   * with credentials it has refused helps nobody, unless the target knows better.
   */
  async open(accountId: string): Promise<void> {
    const account = this.#accounts.get(accountId);
    if (!account || account.session || !this.#mayOpen(account.state)) return;
    const generation = this.#supersede(account);
    if (account.row.binding === null) {
      this.#parts.log.error({ code: 'row_damaged', accountId }, 'what is kept of an account can not be read');
      this.#report(account, { status: 'error', code: 'account_damaged', since: this.#parts.clock.now() });
      return;
    }
    let stored: StoredCredentials | undefined;
    try {
      stored = await this.#parts.vault.read(accountId);
    } catch (error) {
      if (account.generation === generation) this.#lockedOut(account, error);
      return;
    }
    if (account.generation !== generation) return;
    if (stored) this.#openWith(account, stored);
    else if (isAuthenticated(account.state))
      this.#report(account, { status: 'expired', code: 'credentials_missing', since: this.#parts.clock.now() });
  }

  #mayOpen(state: BindingState): boolean {
    return isAuthenticated(state) || (state.status === 'expired' && this.#parts.runtime().watch !== undefined);
  }

  /** The machine woke or its secret store may be open by now. */
  retryNow(): void {
    for (const account of this.#accounts.values()) {
      if (account.retry) void this.open(account.row.accountId);
    }
  }

  /** Ends an account's session but keeps the account. Never rejects, and waits a bounded time. */
  async closeSession(accountId: string): Promise<void> {
    const account = this.#accounts.get(accountId);
    if (!account) return;
    this.#supersede(account);
    const { session } = account;
    if (!session) return;
    account.session = undefined;
    this.#parts.delivery.attach(accountId, undefined);
    const outcome = await within(this.#parts.clock, CLOSE_DEADLINE_MS, session.close());
    if (outcome !== 'done') this.#parts.log.warn({ accountId, outcome }, 'a session did not close properly');
  }

  /** Forgets an account at once; resolves when its session is closed. */
  async remove(accountId: string): Promise<void> {
    const closed = this.closeSession(accountId);
    const account = this.#accounts.get(accountId);
    if (account) wakeAll(account);
    this.#accounts.delete(accountId);
    this.#parts.changed(accountId);
    await closed;
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#accounts.keys()].map((accountId) => this.closeSession(accountId)));
  }

  #add(row: AccountRow, state: BindingState): MutableAccount {
    const account: MutableAccount = {
      row,
      state,
      session: undefined,
      stored: undefined,
      handle: undefined,
      failures: 0,
      retry: undefined,
      generation: 0,
      waiting: [],
    };
    this.#accounts.set(row.accountId, account);
    return account;
  }

  /** After a restart nothing is proved yet, except that an ended sign-in stays ended. */
  #restored(last: BindingState): BindingState {
    return isAuthenticated(last) ? { status: 'offline', code: 'connecting', since: this.#parts.clock.now() } : last;
  }

  #supersede(account: MutableAccount): number {
    account.retry?.cancel();
    account.retry = undefined;
    account.generation += 1;
    return account.generation;
  }

  #openWith(account: MutableAccount, stored: StoredCredentials): void {
    const generation = this.#supersede(account);
    const { row } = account;
    const isCurrent = (): boolean => account.generation === generation;
    const handle: AccountHandle = {
      accountId: row.accountId,
      identity: row.identity,
      binding: row.binding,
      credentials: stored.credentials,
      report: (state) => {
        if (isCurrent()) this.#report(account, state);
      },
      updateBinding: async (binding) => {
        if (!isCurrent()) return;
        await this.#parts.store.write((sql) => putAccountBinding(sql, row.accountId, binding));
        if (isCurrent()) account.row = { ...account.row, binding };
      },
    };
    account.stored = stored;
    account.failures = 0;
    account.handle = handle;
    try {
      const runtime = this.#parts.runtime();
      const { state } = account;
      account.session =
        state.status === 'expired' && runtime.watch ? runtime.watch(handle, state) : runtime.open(handle);
    } catch (error) {
      this.#parts.log.error(
        { accountId: row.accountId, error: describeError(error) },
        'an account could not be opened',
      );
      this.#report(account, { status: 'error', code: 'internal_error', since: this.#parts.clock.now() });
      return;
    }
    this.#parts.delivery.attach(row.accountId, account.session);
  }

  #lockedOut(account: MutableAccount, error: unknown): void {
    const { clock, random, log } = this.#parts;
    const state = error instanceof SecretStoreError ? error.state : 'failed';
    account.failures += 1;
    const wait = backoffDelay(SECRET_RETRY, account.failures, random);
    log.warn({ accountId: account.row.accountId, state }, 'the credentials of an account can not be read yet');
    account.retry = clock.after(wait, () => void this.open(account.row.accountId));
    // Of an ended sign-in nothing new is known by that.
    if (!isAuthenticated(account.state)) return;
    this.#report(account, {
      status: 'offline',
      code: `secrets_${state}`,
      since: account.failures === 1 ? clock.now() : account.state.since,
      retryAt: clock.now() + wait,
    });
  }

  #report(account: MutableAccount, state: BindingState): void {
    const former = account.state;
    if (isSame(former, state)) return;
    account.state = state;
    if (!isConnecting(state)) wakeAll(account);
    if (former.status !== state.status) {
      const { accountId } = account.row;
      this.#parts.log.info({ accountId, status: state.status, code: codeOf(state) }, 'an account changed its state');
      this.#persist(account, state);
    }
    this.#parts.changed(account.row.accountId);
  }

  #persist(account: MutableAccount, state: BindingState): void {
    const { accountId } = account.row;
    account.row = { ...account.row, lastState: state };
    this.#parts.store
      .write((sql) => putAccountState(sql, accountId, state))
      .catch((error: unknown) =>
        this.#parts.log.warn({ accountId, error: describeError(error) }, 'the state of an account could not be stored'),
      );
  }
}

function codeOf(state: BindingState): string | undefined {
  return state.status === 'connected' ? undefined : state.code;
}

function wakeAll({ waiting }: MutableAccount): void {
  for (const wake of waiting.splice(0)) wake();
}

/** Nothing is known of its line yet. */
function isConnecting(state: BindingState): boolean {
  return state.status === 'offline' && state.code === 'connecting';
}

function isSame(a: BindingState, b: BindingState): boolean {
  const retryAt = (state: BindingState): number | undefined => (state.status === 'offline' ? state.retryAt : undefined);
  return a.status === b.status && codeOf(a) === codeOf(b) && retryAt(a) === retryAt(b);
}
