import ElectronStore from 'electron-store';
import type { IpcMain, Rectangle } from 'electron';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { DEFAULT_PREFERENCES, Preferences } from '../bridge/index.js';

/** Where the window was; points. Kept with the preferences because nothing else depends on it. */
const Bounds = Type.Object({
  x: Type.Integer(),
  y: Type.Integer(),
  width: Type.Integer({ minimum: 1 }),
  height: Type.Integer({ minimum: 1 }),
});

const isPreferences = Compile(Preferences);
const isBounds = Compile(Bounds);

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
    return isBounds.Check(kept) ? kept : undefined;
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

/** Kept preferences, whatever another version or a person's editor left of them: a key that is not what it must be has its default. */
export function readPreferences(kept: unknown): Preferences {
  const given: Record<string, unknown> = typeof kept === 'object' && kept !== null ? { ...kept } : {};
  const known = Object.keys(DEFAULT_PREFERENCES).filter((key) => Object.hasOwn(given, key));
  let read: Preferences = DEFAULT_PREFERENCES;
  for (const key of known) {
    const next: unknown = { ...read, [key]: given[key] };
    if (isPreferences.Check(next)) read = next;
  }
  return read;
}
