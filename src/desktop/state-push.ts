import type { WebContents } from 'electron';
import type { Clock, Timer } from '../base/clock.js';
import type { WindowState } from '../bridge/index.js';
import { CHANNELS } from './channels.js';

/** Least time between two states sent to the page, milliseconds: activity looks live at it, and bursts cost one. */
const INTERVAL_MS = 100;

/** Sends every new state to the page of the open window, the first at once and bursts joined. */
export class StatePush {
  #sentAt = -Infinity;
  #timer: Timer | undefined;

  constructor(
    private readonly parts: { readonly clock: Clock; contents(): WebContents | undefined; state(): WindowState },
  ) {}

  changed(): void {
    const wait = this.#sentAt + INTERVAL_MS - this.parts.clock.monotonic();
    if (wait <= 0) this.#send();
    else this.#timer ??= this.parts.clock.after(wait, () => this.#send());
  }

  #send(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#sentAt = this.parts.clock.monotonic();
    const contents = this.parts.contents();
    if (contents !== undefined && !contents.isDestroyed()) contents.send(CHANNELS.stateChanged, this.parts.state());
  }
}
