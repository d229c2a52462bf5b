import { backoffDelay, type BackoffPolicy } from '../base/backoff.js';
import type { Clock, Timer } from '../base/clock.js';
import { describeError } from '../base/errors.js';
import { newId } from '../base/ids.js';
import type { Logger } from '../base/logger.js';
import { Serial } from '../base/serial.js';
import { within } from '../base/within.js';
import type { Delivery } from '../delivery/delivery.js';
import type { FileStore } from '../files/file-store.js';
import { putConsumerState } from '../store/consumer-state.js';
import { claimConsumer, noteGoneAccount } from '../store/gone-accounts.js';
import type { Sql, Store } from '../store/store.js';
import type { AccountHandle, SignedIn, Target, TargetRuntime } from '../targets/target.js';
import { deleteAccount, putAccount, putAccountClaimed, putAccountDeliverTo, type AccountRow } from './account-store.js';
import type { Account, Accounts } from './accounts.js';
import { bindChannel, deleteChannel, unbindAccount } from './channel-store.js';
import type { AgentServerPort } from './agent-server-port.js';
import type { Channel, Channels } from './channels.js';
import type { DeliverTo } from './connector.js';
import { markUnwanted, markWanted, type CredentialVault, type StoredCredentials } from './credentials.js';
import { isAuthenticated } from './descriptor.js';

/** How long the network may take to end a sign-in at its side before we go on without it, milliseconds. */
const SIGN_OUT_DEADLINE_MS = 5_000;

/** How long to wait before the end of a lease is written again to a disk that refused it. */
const ERASE_RETRY: BackoffPolicy = { initialMs: 1_000, maxMs: 60_000 };

export interface BindingsParts {
  readonly cardId: string;
  readonly store: Store;
  readonly vault: CredentialVault;
  readonly accounts: Accounts;
  readonly channels: Channels;
  readonly delivery: Pick<Delivery, 'forgetAccount' | 'forgetChannel'>;
  readonly files: Pick<FileStore, 'deleteFor'>;
  readonly agentServer: Pick<AgentServerPort, 'forget'> | undefined;
  readonly target: Pick<Target, 'consumerOf'>;
  readonly runtime: () => TargetRuntime;
  /** Where accounts deliver that have no choice of their own. */
  readonly deliverTo: DeliverTo;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
}

interface Erasure {
  readonly leased: readonly Account[];
  readonly channelIds: readonly string[];
  readonly commit: (sql: Sql) => void;
  readonly failures: number;
}

/**
 * What is bound to what: every change of accounts and channels together, one at a time, stored before it shows. The three
 * ways an account ends keep apart: signed out (its channel stays), replaced by another one, or with the lease (R44).
 */
export class Bindings {
  readonly #serial = new Serial();
  readonly #parts: BindingsParts;
  /** What accounts leave behind at the network and elsewhere, being cleared up while life goes on. */
  readonly #background = new Set<Promise<void>>();
  /** An end of the lease that the disk refused so far. */
  #erasure: Erasure | undefined;
  #eraseRetry: Timer | undefined;
  #closed = false;

  constructor(parts: BindingsParts) {
    this.#parts = parts;
  }

  /** Where an account's messages go. */
  deliverTo(account: Account): DeliverTo {
    return account.row.deliverTo ?? this.#parts.deliverTo;
  }

  /**
   * Stores a sign-in: a new account, or the same one renewed in place when that identity was signed in before. It becomes the
   * account of `channelId`; the channel it was on stays without one, and an account that `channelId` had is signed out.
   * @param seal called inside the transaction; when it throws, nothing of the sign-in is kept
   * @returns the account id
   * @throws SecretStoreError, StoreError, what `seal` throws
   */
  bind(
    signedIn: SignedIn,
    channelId: string | undefined,
    digest: string | undefined,
    seal: () => void,
  ): Promise<string> {
    return this.#serial.run(() => this.#bind(signedIn, channelId, digest, seal));
  }

  /**
   * The account an `auth.start` on this channel need not sign in again: the channel's own, or one that waits unclaimed, which
   * the channel takes. Undefined when the person has to sign in.
   * @param fits whether the sign-in asked for is the one this account came from
   * @param seal called inside the transaction that takes an account; when it throws, none is taken
   * @throws StoreError, what `seal` throws
   */
  reuse(channelId: string, fits: (account: Account) => boolean, seal: () => void): Promise<Account | undefined> {
    return this.#serial.run(async () => {
      const { accounts, channels } = this.#parts;
      const channel = channels.get(channelId);
      if (!channel) return undefined;
      if (channel.accountId !== undefined) {
        const bound = accounts.get(channel.accountId);
        return bound && isAuthenticated(bound.state) && fits(bound) ? bound : undefined;
      }
      // The newest one: it is what the person did last before asking the agent to connect.
      const waiting = accounts
        .all()
        .filter((account) => this.#isClaimable(account) && fits(account))
        .at(-1);
      if (waiting) await this.#claim(waiting, channel, seal);
      return waiting;
    });
  }

  /**
   * Signs an account out everywhere. False when there is no such account.
   * @throws StoreError when the disk refuses; the account is then still signed in
   */
  async signOut(accountId: string): Promise<boolean> {
    const ended = await this.#serial.run(async () => {
      const { accounts, store } = this.#parts;
      const account = accounts.get(accountId);
      if (!account) return undefined;
      await accounts.closeSession(accountId);
      try {
        await store.write((sql) => this.#deleteRows(sql, [account]));
      } catch (error) {
        void accounts.open(accountId);
        throw error;
      }
      return { cleared: this.#inBackground(this.#ended(account, 'signed_out')) };
    });
    await ended?.cleared;
    return ended !== undefined;
  }

  /** Stores where an account delivers. False when there is no such account. @throws StoreError */
  setDeliverTo(accountId: string, deliverTo: DeliverTo | undefined): Promise<boolean> {
    return this.#serial.run(async () => {
      const { accounts, store } = this.#parts;
      if (!accounts.get(accountId)) return false;
      await store.write((sql) => putAccountDeliverTo(sql, accountId, deliverTo));
      accounts.deliversTo(accountId, deliverTo);
      return true;
    });
  }

  /**
   * The lease ended (section 8.2): every channel goes, and every account that a channel had and that delivers to xAgent.
   * They are gone at once; a disk that refuses is asked again until they are gone there too.
   * @param stillDue asked once nothing else is under way; false leaves everything as it is
   * @param commit called inside the transaction
   */
  endLease(stillDue: () => boolean, commit: (sql: Sql) => void): Promise<void> {
    return this.#serial.run(async () => {
      if (!stillDue()) return;
      const { accounts, channels } = this.#parts;
      const leased = accounts.all().filter((account) => account.row.claimed && this.deliverTo(account) === 'xagent');
      const channelIds = channels.clear();
      await Promise.all(leased.map(({ row }) => accounts.remove(row.accountId)));
      // What an earlier end of the lease could not store yet goes with it.
      const before = this.#erasure;
      await this.#erase({
        leased: [...(before?.leased ?? []), ...leased],
        channelIds: [...(before?.channelIds ?? []), ...channelIds],
        commit,
        failures: before?.failures ?? 0,
      });
    });
  }

  /** Resolves when no change is under way. */
  async idle(): Promise<void> {
    await this.#serial.idle();
    await Promise.all(this.#background);
  }

  close(): void {
    this.#closed = true;
    this.#eraseRetry?.cancel();
  }

  async #erase(erasure: Erasure): Promise<void> {
    const { store, log, clock, random } = this.#parts;
    try {
      await store.write((sql) => {
        erasure.commit(sql);
        for (const channelId of erasure.channelIds) deleteChannel(sql, channelId);
        this.#deleteRows(sql, erasure.leased);
      });
    } catch (error) {
      if (this.#closed) return;
      log.error({ error: describeError(error) }, 'the end of the lease could not be stored yet');
      this.#erasure = { ...erasure, failures: erasure.failures + 1 };
      this.#eraseRetry?.cancel();
      this.#eraseRetry = clock.after(backoffDelay(ERASE_RETRY, this.#erasure.failures, random), () => {
        void this.#serial.run(() => this.#finishErasure());
      });
      return;
    }
    this.#erasure = undefined;
    for (const account of erasure.leased) void this.#inBackground(this.#clearUp(account, 'lease_ended'));
    for (const channelId of erasure.channelIds) void this.#inBackground(this.forgetChannel(channelId));
  }

  /** An account that is to be erased must be gone before its person signs in again. */
  async #finishErasure(): Promise<void> {
    if (this.#erasure) await this.#erase(this.#erasure);
  }

  /** Ends what a channel that is no more has left: its ledger, and the references of its uploads. Never rejects. */
  async forgetChannel(channelId: string): Promise<void> {
    try {
      await this.#parts.delivery.forgetChannel(channelId);
      await this.#parts.files.deleteFor({ channelId });
    } catch (error) {
      this.#parts.log.error({ channelId, error: describeError(error) }, 'what a channel left could not be cleared');
    }
  }

  async #bind(
    signedIn: SignedIn,
    channelId: string | undefined,
    digest: string | undefined,
    seal: () => void,
  ): Promise<string> {
    await this.#finishErasure();
    const { accounts, channels, store, vault, cardId, clock } = this.#parts;
    const { initialState } = signedIn;
    const former = accounts.withIdentity(signedIn.identity);
    const accountId = former?.row.accountId ?? newId('acc');
    const channel = channelId === undefined ? undefined : channels.get(channelId);
    const replaced = channel?.accountId === accountId ? undefined : this.#accountOf(channel);
    const stored: StoredCredentials = { credentials: signedIn.credentials, inputDigest: digest };
    const row: AccountRow = {
      accountId,
      identity: signedIn.identity,
      displayName: signedIn.displayName,
      accountHint: signedIn.accountHint,
      binding: signedIn.binding,
      // The sign-in itself was a completed round trip.
      lastState: { status: 'connected', since: clock.now() },
      claimed: channelId !== undefined || (former?.row.claimed ?? false),
      deliverTo: former?.row.deliverTo,
      createdAt: former?.row.createdAt ?? clock.now(),
    };
    const commit = (): Promise<void> =>
      store.write((sql) => {
        seal();
        putAccount(sql, cardId, row);
        if (channelId !== undefined) bindChannel(sql, cardId, channelId, accountId, channel?.createdAt ?? clock.now());
        if (replaced) this.#deleteRows(sql, [replaced]);
        const consumer = this.#consumerOf(row);
        if (consumer !== undefined) claimConsumer(sql, consumer);
        if (initialState) putConsumerState(sql, initialState.consumer, initialState.values);
        markWanted(sql, accountId);
      });
    if (former) await this.#renew(former, stored, commit);
    else await vault.create(accountId, stored, commit);

    accounts.signedIn(row, stored);
    if (channelId !== undefined) channels.bind(channelId, accountId);
    else this.#publishChannelOf(accountId);
    if (replaced) void this.#inBackground(this.#ended(replaced, 'replaced'));
    return accountId;
  }

  /** Its reader is stopped first, so that it can't write its old cursor over the new sign-in's. */
  async #renew(former: Account, stored: StoredCredentials, commit: () => Promise<void>): Promise<void> {
    const { accounts, vault } = this.#parts;
    const { accountId } = former.row;
    await accounts.closeSession(accountId);
    let before: StoredCredentials | undefined;
    let overwritten = false;
    try {
      before = former.stored ?? (await vault.read(accountId));
      await vault.replace(accountId, stored);
      overwritten = true;
      await commit();
    } catch (error) {
      if (overwritten && before) await vault.replace(accountId, before).catch(() => undefined);
      void accounts.open(accountId);
      throw error;
    }
  }

  #isClaimable(account: Account): boolean {
    return (
      !this.#parts.channels.ofAccount(account.row.accountId) &&
      this.deliverTo(account) === 'xagent' &&
      isAuthenticated(account.state)
    );
  }

  async #claim(account: Account, channel: Channel, seal: () => void): Promise<void> {
    const { store, cardId, accounts, channels } = this.#parts;
    const { accountId } = account.row;
    await store.write((sql) => {
      seal();
      bindChannel(sql, cardId, channel.channelId, accountId, channel.createdAt);
      putAccountClaimed(sql, accountId);
    });
    accounts.claimed(accountId);
    channels.bind(channel.channelId, accountId);
  }

  /** What follows once an account's row is gone: at once where anyone can see it, in the returned promise the rest. */
  async #ended(account: Account, reason: string): Promise<void> {
    const { accounts, channels } = this.#parts;
    const { accountId } = account.row;
    const channel = channels.ofAccount(accountId);
    if (channel) channels.unbind(channel.channelId);
    await accounts.remove(accountId);
    await this.#clearUp(account, reason);
  }

  async #clearUp(account: Account, reason: string): Promise<void> {
    const { accountId } = account.row;
    await Promise.all([
      this.#parts.vault.sweep(),
      this.#signOutAtNetwork(account.handle),
      this.#forgetAccount(accountId, reason),
      this.#parts.agentServer?.forget(accountId),
    ]);
  }

  #deleteRows(sql: Sql, gone: readonly Account[]): void {
    const { accounts, cardId, clock } = this.#parts;
    const staying = accounts.all().filter((account) => !gone.includes(account));
    const needed = new Set(staying.map(({ row }) => this.#consumerOf(row)));
    for (const { row } of gone) {
      unbindAccount(sql, row.accountId);
      deleteAccount(sql, row.accountId);
      markUnwanted(sql, cardId, row.accountId);
      const own = this.#consumerOf(row);
      const consumer = needed.has(own) ? undefined : own;
      noteGoneAccount(sql, { accountId: row.accountId, consumer }, clock.steady());
    }
  }

  /** Undefined for a row that its target can't read: nothing is known to be its own. */
  #consumerOf(row: AccountRow): string | undefined {
    try {
      return this.#parts.target.consumerOf(row);
    } catch (error) {
      const about = { accountId: row.accountId, error: describeError(error) };
      this.#parts.log.warn(about, 'the state of a reader could not be told from others');
      return undefined;
    }
  }

  /** Best effort: the sign-in is over here whatever the network says. */
  async #signOutAtNetwork(handle: AccountHandle | undefined): Promise<void> {
    if (!handle) return;
    // Asked for inside: a connector that closed meanwhile has no runtime any more, and throws.
    const ask = async (): Promise<void> => this.#parts.runtime().signOut?.(handle);
    const outcome = await within(this.#parts.clock, SIGN_OUT_DEADLINE_MS, ask());
    if (outcome !== 'done') {
      this.#parts.log.warn({ accountId: handle.accountId, outcome }, 'the network did not confirm the sign-out');
    }
  }

  async #forgetAccount(accountId: string, reason: string): Promise<void> {
    try {
      await this.#parts.delivery.forgetAccount(accountId, reason);
      await this.#parts.files.deleteFor({ accountId });
    } catch (error) {
      this.#parts.log.error(
        { accountId, error: describeError(error) },
        'what an ended account left could not be cleared',
      );
    }
  }

  /** Slow work that must not hold up the next change, but is waited for at the end. */
  #inBackground(work: Promise<void>): Promise<void> {
    const tracked = work.finally(() => this.#background.delete(tracked));
    this.#background.add(tracked);
    return tracked;
  }

  #publishChannelOf(accountId: string): void {
    const channel = this.#parts.channels.ofAccount(accountId);
    if (channel) this.#parts.channels.publish(channel.channelId);
  }

  #accountOf(channel: Channel | undefined): Account | undefined {
    return channel?.accountId === undefined ? undefined : this.#parts.accounts.get(channel.accountId);
  }
}
