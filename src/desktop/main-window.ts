import type { BrowserWindow, Rectangle, WebContents } from 'electron';
import { placeHash, type Place } from '../bridge/index.js';
import type { Clock, Timer } from '../base/clock.js';
import { PAGE_URL } from './page-address.js';

/** A page that keeps crashing is given up after this many new windows … */
const MAX_CRASHES = 3;
/** … within this time, milliseconds; the next opening by the person begins anew. */
const CRASH_WINDOW_MS = 60_000;
/** Moving and resizing come in bursts; where the window ended up is kept this long after the last. Milliseconds. */
const KEEP_BOUNDS_AFTER_MS = 500;

export interface MainWindowParts {
  readonly clock: Clock;
  /** Makes a window that is not shown yet. */
  create(bounds: Rectangle | undefined): BrowserWindow;
  bounds(): Rectangle | undefined;
  keepBounds(bounds: Rectangle): void;
  /** Whether the app can be reached without its window right now. */
  hasTray(): Promise<boolean>;
  /** The window was minimised because there is no tray to close it to. */
  minimisedInstead(): void;
  /** The page crashed; `reason` is Chromium's word for how. */
  crashed(reason: string): void;
}

/**
 * The one window. Closing it destroys it, so that an app in the tray costs no page; opening it makes a new one that shows the
 * same state. Where there is no tray, closing only minimises.
 */
export class MainWindow {
  readonly #parts: MainWindowParts;
  #window: BrowserWindow | undefined;
  #leaving = false;
  /** The window that closes once it is known whether there is a tray; opening it meanwhile takes that back. */
  #closing: BrowserWindow | undefined;
  #crashes: number[] = [];

  constructor(parts: MainWindowParts) {
    this.#parts = parts;
  }

  /** The page of the open window. */
  get contents(): WebContents | undefined {
    return this.#window?.webContents;
  }

  /** Opens the window or brings it to the front, at a place or where it is. */
  show(place?: Place): void {
    if (this.#leaving) return;
    this.#closing = undefined;
    const open = this.#window;
    if (open === undefined) {
      this.#crashes = [];
      this.#open(place, 'shown');
      return;
    }
    if (place !== undefined) void open.loadURL(`${PAGE_URL}${placeHash(place)}`).catch(() => undefined);
    if (open.isMinimized()) open.restore();
    open.show();
    open.focus();
  }

  /** Where a window has to stand in for the tray but nobody asked to see it. */
  showMinimised(): void {
    if (this.#window === undefined && !this.#leaving) this.#open(undefined, 'minimised');
  }

  /** The program ends: the window closes without asking and none opens any more. */
  leave(): void {
    this.#leaving = true;
    this.#window?.destroy();
  }

  #open(place: Place | undefined, how: 'shown' | 'minimised'): void {
    const window = this.#parts.create(this.#parts.bounds());
    this.#window = window;
    window.once('ready-to-show', () => {
      if (window.isDestroyed()) return;
      if (how === 'minimised') window.minimize();
      else window.show();
    });
    window.on('close', (event) => {
      if (this.#leaving) return;
      event.preventDefault();
      void this.#close(window);
    });
    window.on('closed', () => {
      if (this.#window === window) this.#window = undefined;
    });
    window.webContents.on('render-process-gone', (_event, { reason }) => this.#replace(window, reason));
    this.#rememberBounds(window);
    // The page of a window that is destroyed while it loads fails to load, which is as it should be.
    void window.loadURL(`${PAGE_URL}${place === undefined ? '' : placeHash(place)}`).catch(() => undefined);
  }

  async #close(window: BrowserWindow): Promise<void> {
    this.#parts.keepBounds(window.getNormalBounds());
    this.#closing = window;
    const hasTray = await this.#parts.hasTray();
    if (this.#closing !== window || window.isDestroyed()) return;
    this.#closing = undefined;
    if (hasTray) {
      window.destroy();
    } else {
      window.minimize();
      this.#parts.minimisedInstead();
    }
  }

  #replace(window: BrowserWindow, reason: string): void {
    if (this.#leaving || this.#window !== window) return;
    this.#parts.crashed(reason);
    this.#window = undefined;
    window.destroy();
    const now = this.#parts.clock.monotonic();
    this.#crashes = [...this.#crashes.filter((at) => now - at < CRASH_WINDOW_MS), now];
    if (this.#crashes.length <= MAX_CRASHES) this.#open(undefined, 'shown');
  }

  #rememberBounds(window: BrowserWindow): void {
    let timer: Timer | undefined;
    const later = (): void => {
      timer?.cancel();
      timer = this.#parts.clock.after(KEEP_BOUNDS_AFTER_MS, () => {
        if (!window.isDestroyed()) this.#parts.keepBounds(window.getNormalBounds());
      });
    };
    window.on('resize', later);
    window.on('move', later);
    window.on('closed', () => timer?.cancel());
  }
}
