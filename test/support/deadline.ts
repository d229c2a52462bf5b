/** Waiting on events with a deadline, never for a guessed time. */

/** How long a test waits for something that must happen at once on a busy two-core machine; milliseconds. */
export const SOON_MS = 20_000;
/** Between two looks at something that sends no event (an HTTP status, a file on disk); milliseconds. */
const LOOK_EVERY_MS = 20;

/** Resolves with what `promise` does, or rejects naming `what` once `ms` are over. */
export async function within<T>(promise: Promise<T>, what: string, ms = SOON_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${ms} ms: ${what}`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Looks until `look` gives something truthy; fails with the last error or `what` once `ms` are over. */
export async function eventually<T>(
  look: () => Promise<T | undefined | false> | T | undefined | false,
  what: string,
  ms = SOON_MS,
): Promise<T> {
  const end = performance.now() + ms;
  let last: unknown;
  for (;;) {
    try {
      const found = await look();
      if (found !== undefined && found !== false) return found;
      last = undefined;
    } catch (error) {
      last = error;
    }
    if (performance.now() > end) {
      const because = last instanceof Error ? `: ${last.message}` : '';
      throw new Error(`not within ${ms} ms: ${what}${because}`, { cause: last });
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

/**
 * A list that others wait on: `next` resolves with the first entry at or after `from` that matches.
 * Nothing is consumed, so that two waiters never steal from each other.
 */
export class Journal<T> {
  readonly entries: T[] = [];
  readonly #wakers = new Set<() => void>();

  push(entry: T): void {
    this.entries.push(entry);
    for (const wake of [...this.#wakers]) wake();
  }

  /** The place after the newest entry: pass it as `from` to look at later entries alone. */
  get mark(): number {
    return this.entries.length;
  }

  since(from: number): readonly T[] {
    return this.entries.slice(from);
  }

  async next(match: (entry: T) => boolean, what: string, options: { from?: number; ms?: number } = {}): Promise<T> {
    let at = options.from ?? 0;
    let wake: (() => void) | undefined;
    const found = new Promise<T>((resolve) => {
      wake = () => {
        for (; at < this.entries.length; at += 1) {
          const entry = this.entries[at];
          if (entry === undefined || !match(entry)) continue;
          resolve(entry);
          return;
        }
      };
      this.#wakers.add(wake);
      wake();
    });
    try {
      return await within(found, what, options.ms);
    } finally {
      if (wake) this.#wakers.delete(wake);
    }
  }
}
