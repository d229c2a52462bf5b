import type { Clock } from '../base/clock.js';

/** One part may take this long to stop; the server, which drains, is the slowest (3.5 s). Milliseconds. */
const STEP_DEADLINE_MS = 3_800;

type Report = (step: string, error: unknown) => void;

/** What was started, stopped in the opposite order. A part that fails or hangs does not keep the others from stopping. */
export class StopSequence {
  readonly #steps: { readonly name: string; readonly stop: () => Promise<void> }[] = [];
  #report: Report = () => undefined;
  #running: Promise<void> | undefined;

  constructor(private readonly clock: Clock) {}

  /** `stop` runs before everything that was added earlier. */
  add(name: string, stop: () => Promise<void>): void {
    this.#steps.push({ name, stop });
  }

  /** Who hears of parts that did not stop. */
  report(fn: Report): void {
    this.#report = fn;
  }

  /** Stops everything, once. Never rejects. */
  run(): Promise<void> {
    this.#running ??= this.#run();
    return this.#running;
  }

  async #run(): Promise<void> {
    for (const { name, stop } of [...this.#steps].reverse()) {
      try {
        await this.#withDeadline(stop());
      } catch (error) {
        this.#report(name, error);
      }
    }
  }

  #withDeadline(stopping: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = this.clock.after(STEP_DEADLINE_MS, () => reject(new Error('it took too long')));
      stopping.then(resolve, reject).finally(() => timer.cancel());
    });
  }
}
