/** What the person or a script gave on the command line. */
export interface DesktopFlags {
  readonly config: string | undefined;
  readonly dataDir: string | undefined;
  /** Starts in the tray, without a window. */
  readonly hidden: boolean;
  /** One JSON line on standard output once the server accepts connections. */
  readonly readyJson: boolean;
}

/** The command line can't be used; the process ends with exit code 2. */
export class FlagError extends Error {
  override readonly name = 'FlagError';
}

/** Switches of Chromium, Electron and Node by their beginning. They are read by those before us and are none of our business. */
const RUNTIME_SWITCHES =
  /^--(no-sandbox|disable-|enable-|force-|allow-|ozone-|use-|gtk-version|in-process-gpu|ignore-|password-store|lang|js-flags|log-|v|vmodule|user-data-dir|proxy-|no-proxy-server|host-|auth-|no-zygote|test-type|trace-|class|wm-|original-process-start-time|updated|force-run|squirrel-)/;

/** Whoever can attach a debugger can read every secret: only a developer's run takes these. */
const DEBUG_SWITCHES = /^--(inspect|remote-debugging|remote-allow-origins|debug)/;

/** macOS gives the number of the process to apps that the Finder starts. */
const FINDER_SWITCH = '-psn_';

/**
 * Reads the command line of an Electron program.
 * @param argv as `process.argv`
 * @param run `packaged`: our own program. `developed`: Electron's program with our folder as its first argument.
 * @throws FlagError that names the flag
 */
export function readFlags(argv: readonly string[], run: 'packaged' | 'developed'): DesktopFlags {
  const values = new Map<string, string>();
  const rest = argv.slice(1);
  let needsApp = run === 'developed';
  while (rest.length > 0) {
    const arg = rest.shift() ?? '';
    if (needsApp && (arg === '-r' || arg === '--require')) {
      rest.shift();
    } else if (!arg.startsWith('-')) {
      if (!needsApp) throw new FlagError(`unexpected argument ${arg}`);
      needsApp = false;
    } else if (DEBUG_SWITCHES.test(arg)) {
      if (run === 'packaged') throw new FlagError(`${nameOf(arg)} is not allowed here`);
    } else if (!RUNTIME_SWITCHES.test(arg) && !arg.startsWith(FINDER_SWITCH)) {
      readOwn(arg, rest, values);
    }
  }
  return {
    config: values.get('--config'),
    dataDir: values.get('--data-dir'),
    hidden: values.has('--hidden'),
    readyJson: values.has('--ready-json'),
  };
}

function readOwn(arg: string, rest: string[], values: Map<string, string>): void {
  const name = nameOf(arg);
  const given = arg.includes('=') ? arg.slice(name.length + 1) : undefined;
  switch (name) {
    case '--hidden':
    case '--ready-json':
      if (given !== undefined) throw new FlagError(`${name} takes no value`);
      values.set(name, '');
      return;
    case '--config':
    case '--data-dir': {
      const value = given ?? rest.shift();
      if (value === undefined) throw new FlagError(`${name} needs a value`);
      // What an unset shell variable leaves behind; taken at its word it would mean the current folder.
      if (value === '') throw new FlagError(`${name} is empty`);
      values.set(name, value);
      return;
    }
    default:
      throw new FlagError(`unknown option ${name}`);
  }
}

function nameOf(arg: string): string {
  return arg.split('=', 1)[0] ?? arg;
}
