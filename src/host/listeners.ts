/** Functions to call after a change: many changes in one turn of the event loop are told once. */
export class Listeners {
  readonly #fns = new Set<() => void>();
  #queued = false;

  add(fn: () => void): () => void {
    this.#fns.add(fn);
    return () => void this.#fns.delete(fn);
  }

  notify(): void {
    if (this.#queued || this.#fns.size === 0) return;
    this.#queued = true;
    setImmediate(() => {
      this.#queued = false;
      for (const fn of [...this.#fns]) fn();
    });
  }
}
