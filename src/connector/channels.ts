import { Coalesced } from '../base/coalesced.js';
import { newId } from '../base/ids.js';
import type { Upstream } from '../delivery/delivery.js';
import { ErrorCode, type ConnectionDescriptor } from '../protocol/index.js';
import { ProtocolError } from '../base/errors.js';
import { AckError } from './connector.js';
import type { ChannelRow } from './channel-store.js';
import type { DataPlaneLink } from './link.js';

/**
 * Channels without an account that one data plane may have open, and that wait for an agent which was cut off. An agent has one
 * for each sign-in it is at; what it needs beyond a few is a fault of its own, and each channel may hold answers in memory.
 */
export const MAX_TEMPORARY_CHANNELS = 256;

/** An agent's route to at most one account. */
export interface Channel {
  readonly channelId: string;
  readonly createdAt: number;
  /**
   * Whether it has a row. One that never had an account lives only as long as something holds it open (section 8.3), or while a
   * sign-in is under way on it: an agent that was cut off may come back for that (section 8.2).
   */
  readonly stored: boolean;
  readonly accountId: string | undefined;
  /** The data plane that pushes go to: the last one that opened the channel (R13). */
  readonly owner: DataPlaneLink | undefined;
}

interface MutableChannel extends Channel {
  stored: boolean;
  accountId: string | undefined;
  owner: DataPlaneLink | undefined;
  /** Every data plane that has it open, the owner last. */
  links: DataPlaneLink[];
  /** The descriptor the owner was last given, to push changes only. */
  told: string | undefined;
}

export interface ChannelEvents {
  /** Where an account's messages go from now on. */
  route(accountId: string, upstream: Upstream | undefined): void;
  describe(channel: Channel, profiles: readonly string[]): ConnectionDescriptor;
  /** Whether somebody is signing in on the channel. */
  signingIn(channelId: string): boolean;
  /** A channel that never had an account was let go. */
  forgotten(channelId: string): void;
  changed(): void;
}

/**
 * The channels of one connector and who has them open. Several data planes may open one channel: each is answered, pushes go
 * to the one that opened it last, and when that one is gone, to the one before.
 */
export class Channels {
  readonly #channels = new Map<string, MutableChannel>();
  readonly #byAccount = new Map<string, MutableChannel>();
  readonly #unpublished = new Set<MutableChannel>();
  readonly #unrouted = new Set<MutableChannel>();
  /**
   * What follows a turn's answers: they are on the socket by then. The descriptors first, because an agent takes messages
   * only of a channel it knows to be open (section 8.4) and signed in (section 8.3).
   */
  readonly #settling = new Coalesced(() => {
    this.#publishAll();
    this.#routeAll();
  });
  readonly #events: ChannelEvents;
  readonly #now: () => number;

  constructor(now: () => number, events: ChannelEvents) {
    this.#now = now;
    this.#events = events;
  }

  load(rows: readonly ChannelRow[]): void {
    for (const row of rows) {
      const channel: MutableChannel = { ...row, stored: true, owner: undefined, links: [], told: undefined };
      this.#channels.set(channel.channelId, channel);
      if (channel.accountId !== undefined) this.#byAccount.set(channel.accountId, channel);
    }
  }

  all(): readonly Channel[] {
    return [...this.#channels.values()];
  }

  get(channelId: string): Channel | undefined {
    return this.#channels.get(channelId);
  }

  ofAccount(accountId: string): Channel | undefined {
    return this.#byAccount.get(accountId);
  }

  // ---------------------------------------------------------------- routes

  /**
   * Opens a known channel, or a new one when the id is empty or unknown (sections 8.3 and 8.4, R14).
   * @throws AckError `connector_channel_unavailable` above {@link MAX_TEMPORARY_CHANNELS}
   */
  open(link: DataPlaneLink, channelId: string): Channel {
    const channel = this.#channels.get(channelId) ?? this.#createFor(link);
    channel.links = [...channel.links.filter((other) => other !== link), link];
    this.#settleOwner(channel);
    this.#events.changed();
    return channel;
  }

  /** Idempotent (R15). The owner closes the channel for all; another data plane leaves only its own use of it. */
  close(link: DataPlaneLink, channelId: string): void {
    const channel = this.#channels.get(channelId);
    if (!channel?.links.includes(link)) return;
    this.#leave(channel, channel.owner === link ? [] : channel.links.filter((other) => other !== link));
    if (isLeft(channel)) this.#forget(channel);
  }

  /** A data plane is gone: only what it still owns loses its route. */
  disconnected(link: DataPlaneLink): void {
    for (const channel of this.#channels.values()) {
      if (!channel.links.includes(link)) continue;
      this.#leave(
        channel,
        channel.links.filter((other) => other !== link),
      );
      if (isLeft(channel) && !this.#waitsForAgent(channel)) this.#forget(channel);
    }
  }

  /**
   * The channel a user-level packet of this data plane means.
   * @throws ProtocolError `connector_channel_id_required`, `connection_not_found`, `channel_not_open` (R16, R17)
   */
  require(link: DataPlaneLink, channelId: string | undefined): Channel {
    if (channelId === undefined || channelId === '') {
      throw new ProtocolError(ErrorCode.connectorChannelIdRequired, 'this packet needs a connector_channel_id');
    }
    const channel = this.#channels.get(channelId);
    if (!channel) throw new ProtocolError(ErrorCode.connectionNotFound, 'there is no such channel');
    if (!channel.links.includes(link)) {
      throw new ProtocolError(ErrorCode.channelNotOpen, 'channel.open must complete before this packet');
    }
    return channel;
  }

  // ---------------------------------------------------------------- accounts

  /** Leads a channel to an account, after that is stored; the account leaves its former channel. */
  bind(channelId: string, accountId: string): void {
    const former = this.#byAccount.get(accountId);
    if (former && former.channelId !== channelId) this.unbind(former.channelId);
    const channel = this.#channels.get(channelId) ?? this.#create(channelId);
    if (channel.accountId !== undefined && channel.accountId !== accountId) this.unbind(channelId);
    channel.accountId = accountId;
    channel.stored = true;
    this.#byAccount.set(accountId, channel);
    this.#route(channel);
    this.publish(channelId);
  }

  /** An account delivers through its channel again, if it has one. */
  reroute(accountId: string): void {
    const channel = this.#byAccount.get(accountId);
    if (channel) this.#route(channel);
  }

  /** The channel stays, without an account. */
  unbind(channelId: string): void {
    const channel = this.#channels.get(channelId);
    if (channel?.accountId === undefined) return;
    this.#byAccount.delete(channel.accountId);
    this.#events.route(channel.accountId, undefined);
    channel.accountId = undefined;
    this.publish(channelId);
  }

  /** A sign-in of this channel began, went on or ended. */
  signInChanged(channelId: string): void {
    const channel = this.#channels.get(channelId);
    if (!channel) return;
    if (isLeft(channel) && !this.#events.signingIn(channelId)) this.#forget(channel);
    else this.publish(channelId);
  }

  /** Removes every channel, for the end of the lease; returns their ids. */
  clear(): string[] {
    const ids = [...this.#channels.keys()];
    for (const id of ids) this.unbind(id);
    this.#channels.clear();
    this.#unpublished.clear();
    this.#unrouted.clear();
    return ids;
  }

  // ---------------------------------------------------------------- descriptors

  /** Remembers that the owner was just given this descriptor in an answer. */
  told(link: DataPlaneLink, channelId: string, descriptor: ConnectionDescriptor): void {
    const channel = this.#channels.get(channelId);
    if (channel?.owner === link) channel.told = JSON.stringify(descriptor);
  }

  /** Pushes the channel's descriptor to its owner, unless it is the one the owner knows; after the answers of this turn. */
  publish(channelId: string): void {
    const channel = this.#channels.get(channelId);
    if (!channel) return;
    this.#unpublished.add(channel);
    this.#settling.request();
    this.#events.changed();
  }

  /** Profiles of a data plane were negotiated anew: its channels' descriptors go out whatever it knows (R9). */
  publishOwnedBy(link: DataPlaneLink): void {
    for (const channel of this.#channels.values()) {
      if (channel.owner !== link) continue;
      channel.told = undefined;
      this.publish(channel.channelId);
    }
  }

  /** Takes away all routes; nothing is published any more. */
  shutDown(): void {
    for (const accountId of this.#byAccount.keys()) this.#events.route(accountId, undefined);
    this.#unpublished.clear();
    this.#unrouted.clear();
    this.#settling.cancel();
  }

  #createFor(link: DataPlaneLink): MutableChannel {
    let temporary = 0;
    for (const { stored, links } of this.#channels.values()) if (!stored && links.includes(link)) temporary += 1;
    if (temporary < MAX_TEMPORARY_CHANNELS) return this.#create();
    throw new AckError(
      ErrorCode.connectorChannelUnavailable,
      `this connection has ${MAX_TEMPORARY_CHANNELS} channels open on which nobody is signed in`,
    );
  }

  #create(channelId: string = newId('cch')): MutableChannel {
    const channel: MutableChannel = {
      channelId,
      createdAt: this.#now(),
      stored: false,
      accountId: undefined,
      owner: undefined,
      links: [],
      told: undefined,
    };
    this.#channels.set(channelId, channel);
    return channel;
  }

  #leave(channel: MutableChannel, links: DataPlaneLink[]): void {
    channel.links = links;
    this.#settleOwner(channel);
    this.#events.changed();
  }

  #waitsForAgent({ channelId }: Channel): boolean {
    if (!this.#events.signingIn(channelId)) return false;
    let waiting = 0;
    for (const channel of this.#channels.values()) if (isLeft(channel)) waiting += 1;
    return waiting <= MAX_TEMPORARY_CHANNELS;
  }

  #forget(channel: MutableChannel): void {
    this.#channels.delete(channel.channelId);
    this.#unpublished.delete(channel);
    this.#unrouted.delete(channel);
    this.#events.forgotten(channel.channelId);
    this.#events.changed();
  }

  #settleOwner(channel: MutableChannel): void {
    const owner = channel.links.at(-1);
    if (owner === channel.owner) return;
    channel.owner = owner;
    channel.told = undefined;
    this.#route(channel);
    // One that is told the descriptor by the answer to its `channel.open` needs no push; one that owns it again does.
    if (owner) this.publish(channel.channelId);
  }

  /** The former route ends at once, the new one begins when what this turn has to say about the channel is said. */
  #route(channel: MutableChannel): void {
    if (channel.accountId === undefined) return;
    this.#events.route(channel.accountId, undefined);
    if (!channel.owner) return;
    this.#unrouted.add(channel);
    this.#settling.request();
  }

  #routeAll(): void {
    for (const { channelId, accountId, owner } of this.#unrouted) {
      if (accountId !== undefined && owner) this.#events.route(accountId, owner.upstream(channelId));
    }
    this.#unrouted.clear();
  }

  #publishAll(): void {
    for (const channel of this.#unpublished) {
      const { owner } = channel;
      if (!owner?.open) continue;
      const descriptor = this.#events.describe(channel, owner.profiles);
      const text = JSON.stringify(descriptor);
      if (text === channel.told) continue;
      channel.told = text;
      owner.pushDescriptor(channel.channelId, descriptor);
    }
    this.#unpublished.clear();
  }
}

/** Nobody has it open, and nobody was ever signed in on it. */
function isLeft({ links, stored }: MutableChannel): boolean {
  return links.length === 0 && !stored;
}
