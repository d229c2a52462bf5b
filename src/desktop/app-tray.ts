import { Menu, nativeImage, nativeTheme, Tray, type MenuItemConstructorOptions } from 'electron';
import type { Clock, Timer } from '../base/clock.js';
import { overallChangesAt, type WindowState } from '../bridge/index.js';
import { trayGround, trayImage } from './tray-icons.js';
import { trayMenu, type MenuEntry, type TrayAction } from './tray-menu.js';
import { summarise } from './tray-summary.js';
import type { Say } from './words/index.js';

/** Changes come in bursts, and a menu that is rebuilt while it is open closes: one rebuild for all of this time. Milliseconds. */
const REBUILD_AFTER_MS = 150;

export interface AppTrayParts {
  readonly clock: Clock;
  readonly iconFolder: string;
  state(): WindowState;
  say(): Say;
  act(action: TrayAction): void;
}

/** The icon in the tray with its menu, as the state says; rebuilt when what they show has changed. */
export class AppTray {
  readonly #parts: AppTrayParts;
  #tray: Tray | undefined;
  #shown = '';
  #icon = '';
  #rebuild: Timer | undefined;
  #due: Timer | undefined;

  constructor(parts: AppTrayParts) {
    this.#parts = parts;
    nativeTheme.on('updated', () => this.changed());
  }

  /** Puts the icon there, anew when it is there already: a tray that came later than we did would not show the old one. */
  place(): void {
    this.#tray?.destroy();
    const { overall } = summarise(this.#parts.state(), this.#parts.say(), this.#parts.clock.now());
    const tray = new Tray(this.#image(overall));
    this.#tray = tray;
    this.#shown = '';
    this.#icon = '';
    tray.on('click', () => this.#parts.act({ do: 'open', place: undefined }));
    this.#show();
  }

  get isPlaced(): boolean {
    return this.#tray !== undefined;
  }

  /** What the tray shows may have changed. */
  changed(): void {
    this.#rebuild ??= this.#parts.clock.after(REBUILD_AFTER_MS, () => this.#show());
  }

  remove(): void {
    this.#rebuild?.cancel();
    this.#due?.cancel();
    this.#tray?.destroy();
    this.#tray = undefined;
  }

  #show(): void {
    this.#rebuild?.cancel();
    this.#rebuild = undefined;
    const tray = this.#tray;
    if (tray === undefined) return;
    const [state, say, now] = [this.#parts.state(), this.#parts.say(), this.#parts.clock.now()];
    const summary = summarise(state, say, now);
    const ground = trayGround(process.platform, process.env, nativeTheme);
    const icon = `${ground}-${summary.overall}`;
    if (icon !== this.#icon) tray.setImage(this.#image(summary.overall));
    this.#icon = icon;
    const tooltip = say(`tray.${summary.line}`, summary.values);
    const entries = trayMenu(state, summary, say);
    const shown = JSON.stringify([tooltip, entries]);
    if (shown !== this.#shown) {
      tray.setToolTip(tooltip);
      tray.setContextMenu(Menu.buildFromTemplate(entries.map((entry) => this.#item(entry))));
    }
    this.#shown = shown;
    this.#wakeWhenDue(overallChangesAt(state, now), now);
  }

  /** A message that waits makes the app busy without any event. */
  #wakeWhenDue(at: number | undefined, now: number): void {
    this.#due?.cancel();
    this.#due = at === undefined ? undefined : this.#parts.clock.after(at - now, () => this.#show());
  }

  #image(state: Parameters<typeof trayImage>[3]) {
    const ground = trayGround(process.platform, process.env, nativeTheme);
    return trayImage(nativeImage, this.#parts.iconFolder, ground, state, process.platform);
  }

  #item(entry: MenuEntry): MenuItemConstructorOptions {
    switch (entry.kind) {
      case 'line':
        return { type: 'separator' };
      case 'text':
        return { label: escaped(entry.label), enabled: false };
      case 'action':
        return { label: escaped(entry.label), click: () => this.#parts.act(entry.action) };
      case 'submenu':
        return { label: escaped(entry.label), submenu: entry.entries.map((inner) => this.#item(inner)) };
    }
  }
}

/** A single `&` would mark a key in menus of Windows and Linux; names of accounts may hold one. */
function escaped(label: string): string {
  return process.platform === 'darwin' ? label : label.replace(/&/g, '&&');
}
