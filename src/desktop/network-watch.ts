import { networkInterfaces } from 'node:os';
import type { Clock, Timer } from '../base/clock.js';

/** Between two looks at the machine's addresses, which tell of no change by themselves; milliseconds. Cheap, and soon enough for a person. */
const LOOK_EVERY_MS = 5_000;

export interface NetworkWatchParts {
  readonly clock: Clock;
  /** The machine's own addresses; the system's unless a test says otherwise. */
  readonly addresses?: () => readonly string[];
  /** Another network, or one again: what was under way on the old one is best begun anew. */
  changed(online: boolean): void;
}

/** Whether this computer has a network, and when it has another: told by its addresses, which every system keeps. */
export class NetworkWatch {
  readonly #parts: NetworkWatchParts;
  readonly #addresses: () => readonly string[];
  #known: string;
  #timer: Timer | undefined;

  constructor(parts: NetworkWatchParts) {
    this.#parts = parts;
    this.#addresses = parts.addresses ?? ownAddresses;
    this.#known = this.#addresses().join();
    this.#lookLater();
  }

  get online(): boolean {
    return this.#known !== '';
  }

  /** Looks now: after the machine woke, for example. */
  look(): void {
    const now = this.#addresses().join();
    if (now === this.#known) return;
    this.#known = now;
    this.#parts.changed(this.online);
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #lookLater(): void {
    this.#timer = this.#parts.clock.after(LOOK_EVERY_MS, () => {
      this.look();
      this.#lookLater();
    });
  }
}

/** Addresses that lead away from this machine. Link-local ones are there with the cable pulled or no router, and lead nowhere. */
function ownAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, address }) => !internal && !/^(169\.254\.|fe80:)/i.test(address))
    .map(({ address }) => address)
    .sort();
}
