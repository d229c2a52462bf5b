/** Tells listeners which accounts changed, at most once a tick each: a burst of acknowledgments is one change. */
export class Changes {
  readonly #listeners = new Set<(accountId: string) => void>();
  readonly #changed = new Set<string>();
  #scheduled = false;

  add(fn: (accountId: string) => void): () => void {
    this.#listeners.add(fn);
    return () => void this.#listeners.delete(fn);
  }

  readonly notify = (accountId: string): void => {
    if (this.#listeners.size === 0) return;
    this.#changed.add(accountId);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      const changed = [...this.#changed];
      this.#changed.clear();
      for (const accountIdChanged of changed) {
        for (const listener of this.#listeners) listener(accountIdChanged);
      }
    });
  };
}
