import type { WebContents } from 'electron';
import type { Clock } from '../base/clock.js';
import { Paced } from '../base/paced.js';
import type { WindowState } from '../bridge/index.js';
import { CHANNELS } from './channels.js';

/** Least time between two states sent to the page, milliseconds: activity looks live at it, and bursts cost one. */
const INTERVAL_MS = 100;

/** Sends every new state to the page of the open window, the first at once and bursts joined. */
export class StatePush {
  readonly #states: Paced;

  constructor(
    private readonly parts: { readonly clock: Clock; contents(): WebContents | undefined; state(): WindowState },
  ) {
    this.#states = new Paced(parts.clock, INTERVAL_MS, async () => this.#send());
  }

  changed(): void {
    this.#states.request();
  }

  #send(): void {
    const contents = this.parts.contents();
    if (contents !== undefined && !contents.isDestroyed()) contents.send(CHANNELS.stateChanged, this.parts.state());
  }
}
