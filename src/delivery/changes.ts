import { Coalesced } from '../base/coalesced.js';

/** Tells listeners which accounts changed, at most once a tick each: a burst of acknowledgments is one change. */
export class Changes {
  readonly #listeners = new Set<(accountId: string) => void>();
  readonly #changed = new Set<string>();
  readonly #telling = new Coalesced(() => {
    const changed = [...this.#changed];
    this.#changed.clear();
    for (const accountId of changed) {
      for (const listener of this.#listeners) listener(accountId);
    }
  });

  add(fn: (accountId: string) => void): () => void {
    this.#listeners.add(fn);
    return () => void this.#listeners.delete(fn);
  }

  readonly notify = (accountId: string): void => {
    if (this.#listeners.size === 0) return;
    this.#changed.add(accountId);
    this.#telling.request();
  };
}
