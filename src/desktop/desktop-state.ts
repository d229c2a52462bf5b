import type { HostStage, ShellFacts, WindowState } from '../bridge/index.js';
import { Listeners } from '../host/listeners.js';

/** Everything that window and tray show: where the host stands, and what the shell knows. */
export class DesktopState {
  readonly #stage: () => HostStage;
  readonly #listeners = new Listeners();
  #shell: ShellFacts;

  constructor(stage: () => HostStage, shell: ShellFacts) {
    this.#stage = stage;
    this.#shell = shell;
  }

  get value(): WindowState {
    return { host: this.#stage(), shell: this.#shell };
  }

  get shell(): ShellFacts {
    return this.#shell;
  }

  /** Facts that are equal to what they were change nothing. */
  change(facts: Partial<ShellFacts>): void {
    const next = { ...this.#shell, ...facts };
    if (JSON.stringify(next) === JSON.stringify(this.#shell)) return;
    this.#shell = next;
    this.#listeners.notify();
  }

  /** The host's part changed. */
  touched(): void {
    this.#listeners.notify();
  }

  /** Called after a change; changes of one turn of the event loop are told once. */
  onChange(fn: () => void): () => void {
    return this.#listeners.add(fn);
  }
}
