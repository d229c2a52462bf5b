import { join } from 'node:path';
import { app, ipcMain, protocol, session } from 'electron';
import { systemClock } from '../base/clock.js';
import { describeError } from '../base/errors.js';
import { keepCertificateChecks } from '../host/certificate-checks.js';
import { ExitCode } from '../host/cli/io.js';
import type { StopSignals } from '../host/cli/stop-signals.js';
import { takePassphrase } from '../host/passphrase.js';
import { ConfigError, takeProxies, HostRunner, readConfig, type Places, type SystemProxies } from '../host/index.js';
import { prepareDataDir } from '../store/data-dir.js';
import { complain } from './complain.js';
import { DesktopApp } from './desktop-app.js';
import type { DesktopFlags } from './flags.js';
import { electronFolder } from './electron-folder.js';
import { utilityWorker } from './keychain-process.js';
import { declareScheme } from './page-protocol.js';
import { PreferenceStore } from './preferences.js';
import type { ProgramCache } from './program-cache.js';

/** As the window, the notifications and the session's own lists call it. */
const APP_NAME = 'xAgent Connector';
const APP_ID = 'ai.xagent.connector.desktop';

/** What a second start tells the first one: data, never a command line to be carried out. */
interface SecondStart {
  readonly hidden: boolean;
}

/** What the entry has found out before the program was loaded. */
export interface Start {
  readonly flags: DesktopFlags;
  readonly places: Places;
  readonly programCache: Pick<ProgramCache, 'keep'>;
  readonly stopping: StopSignals;
}

/** The desktop app once its command line is read. Returns at once; the process ends when the app quits. */
export function startDesktop(start: Start): void {
  const { flags, places, stopping } = start;
  refuseBadConfig(flags, places);
  keepInside(places.dataDir);
  const passphrase = takePassphrase(process.env);
  // A developer's own run, as with a debugger, is theirs: Electron's main process may read no further authorities.
  if (app.isPackaged) keepCertificateChecks(process.env);

  app.setName(APP_NAME);
  app.setAppUserModelId(APP_ID);
  // One program on each data directory: the lock is in Electron's own folder, which lies in it.
  if (!app.requestSingleInstanceLock({ hidden: flags.hidden } satisfies SecondStart)) {
    complain(`It runs already on ${places.dataDir}; its window was opened.`);
    app.exit(ExitCode.done);
    return;
  }
  declareScheme(protocol);
  // The window comes and goes; the app ends when it is told to.
  app.on('window-all-closed', () => undefined);

  void app.whenReady().then(() => {
    // Chromium takes the signals over while it starts.
    stopping.listen();
    if (stopping.isAsked) {
      app.exit(ExitCode.done);
      return undefined;
    }
    const desktop = composeOrExit(start, passphrase);
    if (desktop === undefined) return undefined;
    app.on('second-instance', (_event, _argv, _folder, data) => {
      if (!isHidden(data)) desktop.showWindow();
    });
    app.on('activate', () => desktop.showWindow());
    void stopping.asked.then(() => desktop.quit());
    process.on('uncaughtException', (error) => desktop.crashed(error));
    process.on('unhandledRejection', (reason) => desktop.unhandled(reason));
    // Whoever read our lines may be gone.
    process.stdout.on('error', () => undefined);
    return desktop.start();
  });
}

/**
 * The system's own settings, automatic ones too, as Chromium reads them on every system. It knows no passwords: those of the
 * environment go to the proxy that they name there.
 */
function systemProxies(): SystemProxies {
  const { proxies } = takeProxies(process.env);
  return {
    find: (url) => session.defaultSession.resolveProxy(url),
    credentials: proxies?.credentials ?? new Map(),
  };
}

/** What fails here has neither window nor tray to be shown in; a program that stayed would only be in the way of the next start. */
function composeOrExit(start: Start, passphrase: ReturnType<typeof takePassphrase>): DesktopApp | undefined {
  const { places } = start;
  try {
    const store = new PreferenceStore(electronFolder(places.dataDir), ipcMain);
    const host = new HostRunner({
      places,
      passphrase,
      proxies: systemProxies(),
      whenPortTaken: 'wait',
      spawnWorker: utilityWorker(join(__dirname, 'keychain-worker.js')),
    });
    return new DesktopApp({ ...start, store, host, clock: systemClock });
  } catch (error) {
    complain(`It could not start. ${describeError(error)}`);
    app.exit(ExitCode.failed);
    return undefined;
  }
}

/**
 * A script that names a configuration, or waits for the ready line, is told at once what is wrong with it. Who started us from
 * a menu sees no terminal: for them the window opens and says it.
 */
function refuseBadConfig(flags: DesktopFlags, places: Places): void {
  if (flags.config === undefined && !flags.readyJson) return;
  try {
    readConfig(places.configFile);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const problem of error.problems) complain(problem);
    process.exit(ExitCode.usage);
  }
}

function keepInside(dataDir: string): void {
  try {
    prepareDataDir(dataDir);
    prepareDataDir(electronFolder(dataDir));
  } catch {
    complain(`${dataDir} can't be made or written.`);
    process.exit(ExitCode.failed);
  }
  const folder = electronFolder(dataDir);
  for (const name of ['userData', 'sessionData'] as const) app.setPath(name, folder);
  app.setPath('crashDumps', join(folder, 'crashes'));
  app.setAppLogsPath(join(folder, 'logs'));
}

function isHidden(data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'hidden' in data && data.hidden === true;
}
