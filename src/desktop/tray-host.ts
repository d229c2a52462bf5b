import { execFile } from 'node:child_process';
import { isTrueOnBus, type BusProperty } from './session-bus.js';
import { hasXembedTray } from './xembed-tray.js';

/** Milliseconds that the bus may take to say whether there is a tray: closing a window waits for it, and a busy machine is slow. */
const ASK_DEADLINE_MS = 3_000;

const WATCHER = 'org.kde.StatusNotifierWatcher';
const WATCHER_PATH = '/StatusNotifierWatcher';
const PROPERTY = 'IsStatusNotifierHostRegistered';

const HOST: BusProperty = { destination: WATCHER, path: WATCHER_PATH, interface: WATCHER, property: PROPERTY };

/** Programs that find a bus wherever it is, of which one is on every desktop that has one; each asks the same question. */
const ASKERS: readonly { readonly program: string; readonly args: readonly string[] }[] = [
  {
    program: 'dbus-send',
    args: [
      '--session',
      '--print-reply=literal',
      `--dest=${WATCHER}`,
      WATCHER_PATH,
      'org.freedesktop.DBus.Properties.Get',
      `string:${WATCHER}`,
      `string:${PROPERTY}`,
    ],
  },
  {
    program: 'gdbus',
    args: [
      'call',
      '--session',
      `--dest=${WATCHER}`,
      `--object-path=${WATCHER_PATH}`,
      '--method=org.freedesktop.DBus.Properties.Get',
      WATCHER,
      PROPERTY,
    ],
  },
  { program: 'busctl', args: ['--user', 'get-property', WATCHER, WATCHER_PATH, WATCHER, PROPERTY] },
];

/** What a program printed, `missing` when it is not there, `late` when it gave no answer in time. */
export type Ask = (
  program: string,
  args: readonly string[],
) => Promise<{ readonly printed: string } | 'missing' | 'late'>;

export interface TrayHostParts {
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
  /** Asks the bus without any program: a start has no time for one. */
  readonly askBus: () => ReturnType<typeof isTrueOnBus>;
  /** Asks by a program, where the bus can't be reached otherwise. */
  readonly ask: Ask;
  readonly hasXembed: (display: string) => Promise<boolean>;
}

export const SYSTEM_TRAY: TrayHostParts = {
  platform: process.platform,
  env: process.env,
  askBus: () => isTrueOnBus(HOST, process.env, ASK_DEADLINE_MS),
  ask: askProgram,
  hasXembed: (display) => hasXembedTray(display, process.env),
};

/**
 * Whether the desktop shows tray icons. macOS and Windows always do. On Linux a StatusNotifier host must be registered on the
 * session bus, or an older tray must own the X screen's tray selection; many desktops have neither. Never rejects.
 * @returns undefined when the desktop gave no answer in time
 */
export async function hasTrayHost(parts: TrayHostParts = SYSTEM_TRAY): Promise<boolean | undefined> {
  if (parts.platform !== 'linux') return true;
  if (parts.env['DBUS_SESSION_BUS_ADDRESS'] !== undefined || parts.env['XDG_RUNTIME_DIR'] !== undefined) {
    const told = await parts.askBus();
    const answer = told === 'unreachable' ? await askPrograms(parts.ask) : told;
    if (answer === 'late') return undefined;
    if (answer) return true;
  }
  const display = parts.env['DISPLAY'];
  return display !== undefined && display !== '' && (await parts.hasXembed(display));
}

async function askPrograms(ask: Ask): Promise<boolean | 'late'> {
  for (const { program, args } of ASKERS) {
    const answer = await ask(program, args);
    if (answer === 'late') return 'late';
    if (answer !== 'missing') return /\btrue\b/.test(answer.printed);
  }
  return false;
}

function askProgram(program: string, args: readonly string[]): ReturnType<Ask> {
  return new Promise((resolve) => {
    execFile(program, [...args], { timeout: ASK_DEADLINE_MS, encoding: 'utf8' }, (error, stdout) => {
      if (error?.code === 'ENOENT') resolve('missing');
      else if (error?.killed === true) resolve('late');
      else resolve({ printed: stdout });
    });
  });
}
