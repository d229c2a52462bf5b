/** Functions to call on a change. */
export class Listeners {
  readonly #fns = new Set<() => void>();

  /** @returns what ends it */
  add(fn: () => void): () => void {
    this.#fns.add(fn);
    return () => void this.#fns.delete(fn);
  }

  call(): void {
    for (const fn of [...this.#fns]) fn();
  }
}
