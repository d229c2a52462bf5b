import { TargetRefusal } from '../../src/base/errors.js';
import type { OutboundPart, Receipt, ReplyWindow, ReplyWindowCapable } from '../../src/targets/target.js';
import { FakeNetwork } from './delivery-world.js';

/** A network that takes a number of replies after each message of the person, and none beyond them. */
export class ScarceNetwork extends FakeNetwork {
  /** Replies that the network takes until the person writes. */
  remaining = 0;
  /** What we believe, where that is something else. */
  claims: number | undefined;
  refusals = 0;
  readonly #listeners = new Set<() => void>();

  readonly replies: ReplyWindowCapable = {
    scarceFrom: 2,
    reserve: 1,
    onRenewed: (fn) => {
      this.#listeners.add(fn);
      return () => void this.#listeners.delete(fn);
    },
  };

  replyWindow(): ReplyWindow {
    return { remaining: this.claims ?? this.remaining, limit: 10, until: 0 };
  }

  /** The person writes. */
  renew(remaining = 10): void {
    this.remaining = remaining;
    for (const fn of this.#listeners) fn();
  }

  override async send(part: OutboundPart, key: string): Promise<Receipt> {
    if (this.remaining <= 0) {
      this.refusals += 1;
      throw new TargetRefusal('reply_window', 'the person has to write', { retryable: false, awaitsPerson: true });
    }
    const receipt = await super.send(part, key);
    this.remaining -= 1;
    return receipt;
  }
}
