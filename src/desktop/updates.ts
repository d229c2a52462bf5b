import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AppUpdater } from 'electron-updater';
import type { Clock, Timer } from '../base/clock.js';
import { describeError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type { UpdateFacts } from '../bridge/index.js';

/** The first look for an update comes this long after the start, when the connections stand; milliseconds. */
const FIRST_LOOK_MS = 60_000;
/** Between two looks; milliseconds. Twice a day finds an urgent one the same day. */
const LOOK_EVERY_MS = 12 * 3_600_000;

/** The updater, as far as it is used; loaded only where a feed is there. */
export type LoadUpdater = () => Promise<Updater>;

export type Updater = Pick<
  AppUpdater,
  'autoDownload' | 'autoInstallOnAppQuit' | 'allowDowngrade' | 'allowPrerelease' | 'checkForUpdates' | 'quitAndInstall'
> & { on(event: string, listener: (value: unknown) => void): unknown; logger: unknown };

export interface UpdatesParts {
  readonly clock: Clock;
  readonly load: LoadUpdater;
  /** Whether this build has a feed ({@link updateFeed}). */
  readonly configured: boolean;
  log(): Logger | undefined;
  changed(facts: UpdateFacts): void;
  /** Stops everything, so that the installer finds no program of ours running. */
  prepareToQuit(): Promise<void>;
}

/**
 * The file that the packager writes beside the program when a feed was configured for the build; undefined where there is none,
 * or where it names no https address: updates are off then.
 */
export function updateFeed(resources: string, read: (file: string) => string): string | undefined {
  const file = join(resources, 'app-update.yml');
  if (!existsSync(file)) return undefined;
  const text = read(file);
  const provider = /^provider:\s*(\S+)/m.exec(text)?.[1];
  const url = /^url:\s*['"]?([^'"\s]+)/m.exec(text)?.[1];
  if (provider === 'generic') return url?.startsWith('https://') === true ? file : undefined;
  return provider === undefined ? undefined : file;
}

/** Looks for updates, downloads them, and installs one when the person says so or quits. Never an older version. */
export class Updates {
  readonly #parts: UpdatesParts;
  #facts: UpdateFacts;
  #updater: Updater | undefined;
  #timer: Timer | undefined;

  constructor(parts: UpdatesParts) {
    this.#parts = parts;
    this.#facts = parts.configured ? { status: 'idle', checkedAt: undefined } : { status: 'off' };
    if (parts.configured) this.#timer = parts.clock.after(FIRST_LOOK_MS, () => void this.look());
  }

  get facts(): UpdateFacts {
    return this.#facts;
  }

  /** Looks now. Never rejects: what came of it is in the facts. */
  async look(): Promise<void> {
    if (!this.#parts.configured) return;
    this.#timer?.cancel();
    this.#timer = this.#parts.clock.after(LOOK_EVERY_MS, () => void this.look());
    if (this.#facts.status === 'downloading' || this.#facts.status === 'ready') return;
    try {
      this.#updater ??= await this.#loaded();
      await this.#updater.checkForUpdates();
    } catch (error) {
      this.#failed(error);
    }
  }

  /** @returns false when no update is ready */
  async install(): Promise<boolean> {
    const updater = this.#updater;
    if (this.#facts.status !== 'ready' || updater === undefined) return false;
    await this.#parts.prepareToQuit();
    updater.quitAndInstall();
    return true;
  }

  stop(): void {
    this.#timer?.cancel();
  }

  async #loaded(): Promise<Updater> {
    const updater = await this.#parts.load();
    updater.autoDownload = true;
    updater.autoInstallOnAppQuit = true;
    updater.allowDowngrade = false;
    updater.allowPrerelease = false;
    updater.logger = null;
    updater.on('update-available', (info) => this.#become({ status: 'downloading', version: versionOf(info) }));
    updater.on('update-not-available', () => this.#become({ status: 'idle', checkedAt: this.#parts.clock.now() }));
    updater.on('update-downloaded', (info) => this.#become({ status: 'ready', version: versionOf(info) }));
    updater.on('error', (error) => this.#failed(error));
    return updater;
  }

  #failed(error: unknown): void {
    this.#parts.log()?.warn({ error: describeError(error) }, 'the look for an update failed');
    this.#become({ status: 'failed', code: 'update_failed' });
  }

  #become(facts: UpdateFacts): void {
    this.#facts = facts;
    this.#parts.changed(facts);
  }
}

function versionOf(info: unknown): string {
  return typeof info === 'object' && info !== null && 'version' in info && typeof info.version === 'string'
    ? info.version
    : '';
}
