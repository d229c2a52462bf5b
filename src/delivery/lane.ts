/** Runs tasks of one account one after the other, in the order they came; accounts do not wait for each other. */
export class Lanes {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Resolves or rejects with the task's own outcome; a failed task does not stop the next. */
  run<T>(accountId: string, task: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(accountId) ?? Promise.resolve();
    const result = before.then(task);
    const tail = result.then(
      () => undefined,
      () => undefined,
    );
    this.#tails.set(accountId, tail);
    void tail.then(() => {
      if (this.#tails.get(accountId) === tail) this.#tails.delete(accountId);
    });
    return result;
  }

  /** Resolves when nothing runs and nothing waits. */
  async idle(): Promise<void> {
    while (this.#tails.size > 0) await Promise.all(this.#tails.values());
  }
}
