/** Transmissions of one message; ack timeouts repeat it at most about once a minute until it expires. */
const MAX_PACKETS_PER_MESSAGE = 128;
/** Messages remembered over all channels. One is in flight per channel, so this is thousands of channels. */
const MAX_MESSAGES = 4096;

interface Transmitted {
  readonly accountId: string;
  /** In the order they were sent. */
  readonly packetIds: Set<string>;
}

/**
 * Which packets carried which message, so that an ack counts only when channel, message and `reply_to` all match (IM Profile v2
 * section 7). Kept per connector, not per socket: an ack may come late, over the next connection.
 */
export class Transmissions {
  readonly #messages = new Map<string, Transmitted>();

  record(channelId: string, messageId: string, accountId: string, packetId: string): void {
    const key = keyOf(channelId, messageId);
    const known = this.#messages.get(key);
    const entry = known?.accountId === accountId ? known : { accountId, packetIds: new Set<string>() };
    entry.packetIds.add(packetId);
    dropOldest(entry.packetIds, MAX_PACKETS_PER_MESSAGE);
    // Re-inserted, so that the map's first entry is the one sent longest ago.
    this.#messages.delete(key);
    this.#messages.set(key, entry);
    dropOldest(this.#messages, MAX_MESSAGES);
  }

  /** The account whose message this packet carried, or undefined when it did not. */
  accountOf(channelId: string, messageId: string, packetId: string): string | undefined {
    const entry = this.#messages.get(keyOf(channelId, messageId));
    return entry?.packetIds.has(packetId) ? entry.accountId : undefined;
  }

  /** The message has its final verdict. */
  end(channelId: string, messageId: string): void {
    this.#messages.delete(keyOf(channelId, messageId));
  }

  get size(): number {
    return this.#messages.size;
  }
}

function keyOf(channelId: string, messageId: string): string {
  return JSON.stringify([channelId, messageId]);
}

function dropOldest(collection: Set<string> | Map<string, unknown>, max: number): void {
  if (collection.size <= max) return;
  const [oldest] = collection.keys();
  if (oldest !== undefined) collection.delete(oldest);
}
