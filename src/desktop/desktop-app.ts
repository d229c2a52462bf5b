import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  app,
  BrowserWindow,
  clipboard,
  ipcMain,
  nativeImage,
  nativeTheme,
  powerMonitor,
  screen,
  shell,
  type NativeImage,
} from 'electron';
import type { Clock } from '../base/clock.js';
import { describeError } from '../base/errors.js';
import type { AutostartFacts, Language, Place, Preferences } from '../bridge/index.js';
import { readyFacts } from '../host/cli/serve.js';
import type { Places } from '../host/index.js';
import { AppTray } from './app-tray.js';
import { createAutostart } from './autostart.js';
import { startCommand, type Autostart } from './autostart-port.js';
import { DesktopState } from './desktop-state.js';
import { confirmSignOut, saveBundle, sayNoTray } from './dialogs.js';
import type { DesktopFlags } from './flags.js';
import type { HostControl } from './host-control.js';
import { serveIpc } from './ipc.js';
import { allowedLink } from './links.js';
import { MainWindow } from './main-window.js';
import { NetworkWatch } from './network-watch.js';
import { Notifier } from './notifier.js';
import { PageSession } from './page-session.js';
import type { PreferenceStore } from './preferences.js';
import type { ProgramCache } from './program-cache.js';
import { Quit } from './quit.js';
import { createShellCommands } from './shell-commands.js';
import { StatePush } from './state-push.js';
import { hasTrayHost } from './tray-host.js';
import type { TrayAction } from './tray-menu.js';
import { TrayWatch } from './tray-watch.js';
import { createUpdates } from './create-updates.js';
import type { Updates } from './updates.js';
import { guardPages } from './web-guards.js';
import { visibleBounds } from './window-bounds.js';
import { windowOptions } from './window-options.js';
import { wordsIn, type Say } from './words/index.js';

/** By then what a start compiles is compiled, and nobody waits for the start any more. Milliseconds. */
const KEEP_PROGRAM_AFTER_MS = 5_000;

export interface DesktopAppParts {
  readonly flags: DesktopFlags;
  readonly places: Places;
  readonly clock: Clock;
  readonly store: PreferenceStore;
  readonly host: HostControl;
  readonly programCache: Pick<ProgramCache, 'keep'>;
}

/** The desktop app at work: the host of this process, its tray, its window, and what connects them. Made once Electron is ready. */
export class DesktopApp {
  readonly #parts: DesktopAppParts;
  readonly #host: HostControl;
  readonly #store: PreferenceStore;
  readonly #autostart: Autostart;
  readonly #state: DesktopState;
  readonly #pages = new PageSession(() => this.#host.host);
  readonly #window: MainWindow;
  readonly #tray: AppTray;
  readonly #trayWatch: TrayWatch;
  readonly #notifier: Notifier;
  readonly #network: NetworkWatch;
  readonly #updates: Updates;
  readonly #quit: Quit;
  /** Read once: a window would decode it at every opening. */
  readonly #icon = appIcon();

  constructor(parts: DesktopAppParts) {
    const { clock, host } = parts;
    this.#parts = parts;
    this.#host = host;
    this.#store = parts.store;
    this.#autostart = this.#createAutostart();
    this.#network = new NetworkWatch({ clock, changed: (online) => this.#networkChanged(online) });
    this.#updates = createUpdates({
      clock,
      log: () => host.host?.log,
      changed: (update) => this.#state.change({ update }),
      prepareToQuit: () => this.#quit.drain(),
    });
    this.#state = new DesktopState(() => host.stage, {
      kind: 'desktop',
      platform: platformName(),
      systemLanguage: systemLanguage(),
      preferences: this.#store.preferences,
      tray: 'none',
      online: this.#network.online,
      autostart: this.#autostart.correct(),
      update: this.#updates.facts,
    });
    this.#quit = new Quit({ app, clock, drain: () => this.#drain() });
    this.#window = this.#createWindow();
    this.#tray = new AppTray({
      clock,
      iconFolder: assetFolder('icons/tray'),
      state: () => this.#state.value,
      say: () => this.#say(),
      act: (action) => void this.#act(action),
    });
    this.#trayWatch = new TrayWatch({
      clock,
      look: () => hasTrayHost(),
      changed: (tray) => {
        this.#state.change({ tray });
        if (tray === 'shown' && this.#tray.isPlaced) this.#tray.place();
      },
    });
    this.#notifier = new Notifier({
      clock,
      icon: this.#icon,
      say: () => this.#say(),
      preferences: () => this.#state.shell.preferences,
      host: () => host.host,
      open: (place) => this.showWindow(place),
    });
  }

  /** Opens window and tray, then starts the host behind them: both are there whatever becomes of it. */
  async start(): Promise<void> {
    this.#connect();
    if (!this.#parts.flags.hidden) this.#window.show();
    // A desktop that shows no icon now may do so later, or in a way that can't be asked for: it is there in any case.
    const placed = this.#trayWatch.start().then(() => this.#tray.place());
    await this.#host.start();
    this.#announce();
    this.#parts.clock.after(KEEP_PROGRAM_AFTER_MS, () => void this.#parts.programCache.keep());
    await placed;
    this.#pages.open();
    if (this.#parts.flags.hidden) this.#trayWatch.onNone(() => this.#window.showMinimised());
  }

  showWindow(place?: Place): void {
    this.#window.show(place);
  }

  quit(): void {
    this.#quit.begin(0);
  }

  /** After an exception that nobody caught nothing can be trusted: it is logged (redacted) and the app ends, without any dialog. */
  crashed(error: unknown): void {
    this.#logFault(error, 'an exception went uncaught: the app ends');
    this.#quit.begin(1);
  }

  /** A promise that nobody awaited costs nothing more than what it was for. */
  unhandled(reason: unknown): void {
    this.#logFault(reason, 'an error went unhandled');
  }

  #logFault(error: unknown, what: string): void {
    const log = this.#host.host?.log;
    if (log === undefined) process.stderr.write(plainFault(error, what));
    else log.error({ err: error }, what);
  }

  #connect(): void {
    guardPages(app, openLink);
    serveIpc(ipcMain, {
      contents: () => this.#window.contents,
      host: () => this.#host.host,
      state: () => this.#state.value,
      shell: this.#shellCommands(),
      log: () => this.#host.host?.log,
    });
    const push = new StatePush({
      clock: this.#parts.clock,
      contents: () => this.#window.contents,
      state: () => this.#state.value,
    });
    this.#host.onChange(() => this.#state.touched());
    this.#state.onChange(() => {
      push.changed();
      this.#tray.changed();
      this.#notifier.look();
    });
    powerMonitor.on('resume', () => this.#wake());
    powerMonitor.on('unlock-screen', () => this.#wake());
  }

  #wake(): void {
    this.#network.look();
    this.#host.host?.wake();
  }

  #networkChanged(online: boolean): void {
    this.#state.change({ online });
    this.#host.host?.wake();
  }

  /** The ready line, once agents can connect; a port that is taken comes free later, or another one is chosen. */
  #announce(): void {
    if (!this.#parts.flags.readyJson) return;
    const tell = (): boolean => {
      const host = this.#host.host;
      if (host?.snapshot().server.state !== 'listening') return false;
      process.stdout.write(`${JSON.stringify(readyFacts(host))}\n`);
      return true;
    };
    if (tell()) return;
    const off = this.#host.onChange(() => {
      if (tell()) off();
    });
  }

  #createWindow(): MainWindow {
    return new MainWindow({
      clock: this.#parts.clock,
      bounds: () =>
        visibleBounds(
          this.#store.bounds,
          screen.getAllDisplays().map(({ workArea }) => workArea),
        ),
      keepBounds: (bounds) => this.#keep(() => this.#store.keepBounds(bounds)),
      create: (bounds) => {
        this.#pages.open();
        return new BrowserWindow(
          windowOptions({
            preload: join(__dirname, 'preload.js'),
            title: app.getName(),
            icon: this.#icon,
            dark: this.#isDark(),
            bounds,
            devTools: !app.isPackaged,
          }),
        );
      },
      hasTray: async () => (await this.#trayWatch.look()) === 'shown',
      minimisedInstead: () => this.#sayNoTray(),
      crashed: (reason) => this.#host.host?.log.error({ reason }, 'the window crashed and is opened anew'),
    });
  }

  #shellCommands() {
    return createShellCommands({
      clipboard,
      shell,
      dataDir: this.#parts.places.dataDir,
      host: () => this.#host.host,
      setPreferences: (changes) => this.#setPreferences(changes),
      setAutostart: async (enabled) => this.#setAutostart(enabled),
      saveBundle: (host) => saveBundle(host, this.#say()),
      restartHost: () => this.#host.restart(),
      useSecretFile: (passphrase) => this.#host.useSecretFile(passphrase),
      useKeychain: () => this.#host.useKeychain(),
      installUpdate: () => this.#updates.install(),
      quit: () => this.quit(),
    });
  }

  #setPreferences(changes: Partial<Preferences>): void {
    this.#state.change({ preferences: this.#store.update(changes) });
  }

  #setAutostart(enabled: boolean): AutostartFacts {
    const autostart = this.#autostart.set(enabled);
    this.#state.change({ autostart });
    return autostart;
  }

  async #act(action: TrayAction): Promise<void> {
    const host = this.#host.host;
    switch (action.do) {
      case 'open':
        this.showWindow(action.place);
        return;
      case 'wake':
        host?.wake();
        return;
      case 'copy':
        await clipboard.writeText(action.text);
        return;
      case 'quit':
        this.quit();
        return;
      case 'pause':
        await this.#carryOut(() => host?.execute('pause', { paused: action.paused }));
        return;
      case 'sign-out':
        if (!(await confirmSignOut(action.network, this.#say()))) return;
        await this.#carryOut(() => host?.execute('sign-out', { accountId: action.accountId }));
    }
  }

  /** What the tray asked and the host refused is on the log; the tray goes on showing what is. */
  async #carryOut(command: () => Promise<unknown> | undefined): Promise<void> {
    try {
      await command();
    } catch (error) {
      this.#host.host?.log.warn({ error: describeError(error) }, 'a command of the tray was refused');
    }
  }

  #sayNoTray(): void {
    if (this.#store.said('no-tray')) return;
    this.#keep(() => this.#store.markSaid('no-tray'));
    const say = this.#say();
    this.#notifier.show(say('note.tray_none'), say('note.tray_none.body'), undefined, () => void sayNoTray(say));
  }

  /** A disk that takes nothing costs what was to be kept; never the window, and never the app. */
  #keep(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#host.host?.log.warn({ error: describeError(error) }, 'something about the window was not kept');
    }
  }

  async #drain(): Promise<void> {
    this.#window.leave();
    this.#network.stop();
    this.#trayWatch.stop();
    this.#notifier.stop();
    this.#updates.stop();
    await this.#host.stop();
    this.#tray.remove();
  }

  #say(): Say {
    const { preferences, systemLanguage: system } = this.#state.shell;
    return wordsIn(preferences.language === 'system' ? system : preferences.language);
  }

  #isDark(): boolean {
    const { theme } = this.#state.shell.preferences;
    return theme === 'system' ? nativeTheme.shouldUseDarkColors : theme === 'dark';
  }

  #createAutostart(): Autostart {
    const { flags, places } = this.#parts;
    const kept = [
      ...(flags.config === undefined || places.configFile === undefined ? [] : ['--config', places.configFile]),
      ...(flags.dataDir === undefined ? [] : ['--data-dir', places.dataDir]),
    ];
    const command = startCommand(process, app.isPackaged ? undefined : app.getAppPath(), kept);
    return createAutostart(app, command, { platform: process.platform, env: process.env, home: homedir() });
  }
}

function openLink(url: string): void {
  const link = allowedLink(url);
  if (link !== undefined) void shell.openExternal(link);
}

/** While there is no log yet, a line without secrets: the stack's places, and of the error itself only its kind. */
function plainFault(error: unknown, what: string): string {
  const places = error instanceof Error ? (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line)) : [];
  return `${[`${what}: ${error instanceof Error ? error.name : typeof error}`, ...places].join('\n')}\n`;
}

function assetFolder(name: string): string {
  return join(__dirname, 'assets', name);
}

/** macOS and Windows take it from the program itself. */
function appIcon(): NativeImage | undefined {
  if (process.platform !== 'linux') return undefined;
  return nativeImage.createFromPath(join(assetFolder('icons/app'), '256x256.png'));
}

function platformName(): 'linux' | 'darwin' | 'win32' | 'other' {
  const { platform } = process;
  return platform === 'linux' || platform === 'darwin' || platform === 'win32' ? platform : 'other';
}

function systemLanguage(): Language {
  return app.getPreferredSystemLanguages()[0]?.toLowerCase().startsWith('zh') === true ? 'zh' : 'en';
}
