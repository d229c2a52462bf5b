/** Bytes and files that are stored or on their way in, against their bounds. */
export class Budget {
  readonly #maxBytes: number;
  readonly #maxFiles: number;
  #bytes: number;
  #files: number;

  constructor(max: { bytes: number; files: number }, used: { bytes: number; files: number }) {
    this.#maxBytes = max.bytes;
    this.#maxFiles = max.files;
    this.#bytes = used.bytes;
    this.#files = used.files;
  }

  /** Whether one more file of `bytes` would fit. */
  hasRoomFor(bytes: number): boolean {
    return this.#files < this.#maxFiles && this.#bytes + bytes <= this.#maxBytes;
  }

  /** Opens a file's account, or gives undefined when there is no room for one more. */
  open(): Reservation | undefined {
    if (this.#files >= this.#maxFiles || this.#bytes >= this.#maxBytes) return undefined;
    this.#files += 1;
    let held = 0;
    let open = true;
    return {
      grow: (bytes) => {
        if (this.#bytes + bytes > this.#maxBytes) return false;
        this.#bytes += bytes;
        held += bytes;
        return true;
      },
      cancel: () => {
        if (open) this.free(held);
        open = false;
      },
    };
  }

  /** Gives back what a removed file of `bytes` took. */
  free(bytes: number): void {
    this.#bytes -= bytes;
    this.#files -= 1;
  }
}

/** The room one incoming file has taken so far. Kept, it passes to the stored file. */
export interface Reservation {
  /** Takes `bytes` more; false when they would exceed the bound. */
  grow(bytes: number): boolean;
  /** Gives everything back. */
  cancel(): void;
}
