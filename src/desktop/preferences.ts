import ElectronStore from 'electron-store';
import type { IpcMain, Rectangle } from 'electron';
import Type from 'typebox';
import Value from 'typebox/value';
import type { Preferences } from '../bridge/index.js';
import { readPreferences } from './preference-values.js';

/** Where the window was; points. Kept with the preferences because nothing else depends on it. */
const Bounds = Type.Object({
  x: Type.Integer(),
  y: Type.Integer(),
  width: Type.Integer({ minimum: 1 }),
  height: Type.Integer({ minimum: 1 }),
});

/** electron-store listens on this channel, for pages that use it; ours does not, and what listens to no page needs no guard. */
const STORE_CHANNEL = 'electron-store-get-data';

/** What the person chose for the window itself: one small JSON file, of which a damaged key costs itself and nothing else. */
export class PreferenceStore {
  readonly #store: ElectronStore;

  /** @param folder absolute; made when it does not exist */
  constructor(folder: string, ipc: Pick<IpcMain, 'removeAllListeners'>) {
    this.#store = new ElectronStore({ cwd: folder, name: 'preferences', clearInvalidConfig: true });
    ipc.removeAllListeners(STORE_CHANNEL);
  }

  get preferences(): Preferences {
    const kept = this.#store.get('preferences');
    return readPreferences(kept);
  }

  /** Keeps the given choices; the others stay. @returns all of them as they are now */
  update(changes: Partial<Preferences>): Preferences {
    const preferences = { ...this.preferences, ...changes };
    this.#store.set('preferences', preferences);
    return preferences;
  }

  get bounds(): Rectangle | undefined {
    const kept = this.#store.get('window');
    return Value.Check(Bounds, kept) ? kept : undefined;
  }

  keepBounds(bounds: Rectangle): void {
    this.#store.set('window', { ...bounds });
  }

  /** Whether something that is said only once was said. */
  said(what: string): boolean {
    return this.#store.get(`said.${what}`) === true;
  }

  markSaid(what: string): void {
    this.#store.set(`said.${what}`, true);
  }
}
