import type { TargetSession } from '../targets/target.js';

/** The sessions that accounts have right now, and a way to wait for one. */
export class Sessions {
  readonly #sessions = new Map<string, TargetSession>();
  readonly #waiting = new Map<string, Set<() => void>>();

  get(accountId: string): TargetSession | undefined {
    return this.#sessions.get(accountId);
  }

  set(accountId: string, session: TargetSession | undefined): void {
    if (session) this.#sessions.set(accountId, session);
    else this.#sessions.delete(accountId);
    if (!session) return;
    const waiting = this.#waiting.get(accountId);
    this.#waiting.delete(accountId);
    for (const wake of waiting ?? []) wake();
  }

  /** Resolves when the account has a session, or the signal is aborted. */
  async whenAttached(accountId: string, signal: AbortSignal): Promise<void> {
    if (this.#sessions.has(accountId) || signal.aborted) return;
    await new Promise<void>((resolve) => {
      let waiting = this.#waiting.get(accountId);
      if (!waiting) {
        waiting = new Set();
        this.#waiting.set(accountId, waiting);
      }
      const set = waiting;
      const wake = (): void => {
        set.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      set.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  }
}
