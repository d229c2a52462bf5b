import { ManualClock } from './manual-clock.js';

/** The machine sleeps: monotonic time passes (as it does on some systems) while timers stand still. */
export class SleepyClock extends ManualClock {
  #slept = 0;

  override monotonic(): number {
    return super.monotonic() + this.#slept;
  }

  sleep(ms: number): void {
    this.#slept += ms;
    this.skip(ms);
  }
}
