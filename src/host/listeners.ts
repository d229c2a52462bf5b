import { Coalesced } from '../base/coalesced.js';

/** Functions to call after a change: many changes in one turn of the event loop are told once. */
export class Listeners {
  readonly #fns = new Set<() => void>();
  readonly #telling = new Coalesced(() => {
    for (const fn of [...this.#fns]) fn();
  });

  add(fn: () => void): () => void {
    this.#fns.add(fn);
    return () => void this.#fns.delete(fn);
  }

  notify(): void {
    if (this.#fns.size > 0) this.#telling.request();
  }
}
