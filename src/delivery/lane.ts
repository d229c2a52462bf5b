interface Lane {
  running: boolean;
  readonly answers: (() => Promise<void>)[];
  readonly previews: (() => Promise<void>)[];
}

/**
 * Runs tasks of one account one after the other; accounts do not wait for each other. Answers keep the order in which
 * they came, and go before previews whose turn has not come: a crowd of unfinished answers must not hold back a finished one.
 */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  #idle: (() => void)[] = [];

  /** Resolves or rejects with the task's own outcome; a failed task does not stop the next. */
  run<T>(accountId: string, task: () => Promise<T>): Promise<T> {
    return this.#add(accountId, 'answers', task);
  }

  /** Like {@link run}, after every answer that waits. */
  runPreview<T>(accountId: string, task: () => Promise<T>): Promise<T> {
    return this.#add(accountId, 'previews', task);
  }

  /** Resolves when nothing runs and nothing waits. */
  idle(): Promise<void> {
    if (this.#lanes.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #add<T>(accountId: string, kind: 'answers' | 'previews', task: () => Promise<T>): Promise<T> {
    let lane = this.#lanes.get(accountId);
    if (!lane) {
      lane = { running: false, answers: [], previews: [] };
      this.#lanes.set(accountId, lane);
    }
    const { [kind]: queue } = lane;
    const result = new Promise<T>((resolve, reject) => queue.push(() => task().then(resolve, reject)));
    if (!lane.running) void this.#drain(accountId, lane);
    return result;
  }

  async #drain(accountId: string, lane: Lane): Promise<void> {
    lane.running = true;
    // What was asked for in this turn is ordered before the first of it begins.
    await Promise.resolve();
    for (let next = lane.answers.shift() ?? lane.previews.shift(); next;) {
      await next();
      next = lane.answers.shift() ?? lane.previews.shift();
    }
    this.#lanes.delete(accountId);
    if (this.#lanes.size > 0) return;
    const waiting = this.#idle;
    this.#idle = [];
    for (const resolve of waiting) resolve();
  }
}
