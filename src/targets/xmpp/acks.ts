/** XEP-0198 section 4: counters wrap here. */
const WRAP = 2 ** 32;

/**
 * The counts of one stream's acknowledgments (XEP-0198 without resumption). What the server sent counts as handled once it is on
 * disk, so that the server keeps what we would lose; what we sent counts as proven once the server says so.
 */
export class StreamAcks {
  #sending = false;
  #receiving = false;
  #sent = 0;
  #proven = 0;
  #received = 0;
  /** Numbers of stanzas that are still being worked on. */
  readonly #open = new Set<number>();

  get active(): boolean {
    return this.#sending && this.#receiving;
  }

  /** How many stanzas were sent since the acknowledgments began. */
  get sent(): number {
    return this.#sent;
  }

  /** `enable` goes out: the server counts what follows it. */
  beginSending(): void {
    this.#sending = true;
  }

  /** `enabled` came: it counts what it sends from here on. */
  beginReceiving(): void {
    this.#receiving = true;
  }

  /** The server does not acknowledge after all. */
  stop(): void {
    this.#sending = false;
    this.#receiving = false;
  }

  noteSent(): void {
    if (this.#sending) this.#sent += 1;
  }

  /** Notes a stanza; the function given back says that it has been dealt with. */
  noteReceived(): () => void {
    if (!this.#receiving) return () => undefined;
    this.#received += 1;
    const number = this.#received;
    this.#open.add(number);
    return () => void this.#open.delete(number);
  }

  /** The `h` to tell: stanzas dealt with, without a gap. */
  get handled(): number {
    const first = this.#open.values().next();
    return (first.done === true ? this.#received : first.value - 1) % WRAP;
  }

  /** Takes the server's `h`. False when it claims more than was sent, which ends the stream. */
  prove(h: number): boolean {
    if (!Number.isSafeInteger(h) || h < 0 || h >= WRAP) return false;
    const gained = (((h - this.#proven) % WRAP) + WRAP) % WRAP;
    if (this.#proven + gained > this.#sent) return false;
    this.#proven += gained;
    return true;
  }

  isProven(count: number): boolean {
    return this.#proven >= count;
  }
}
