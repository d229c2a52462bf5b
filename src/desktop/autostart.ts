import type { App } from 'electron';
import type { AutostartFacts } from '../bridge/index.js';
import { DesktopEntry } from './autostart-entry.js';
import type { Autostart, StartCommand } from './autostart-port.js';

/** The autostart of this system. @param home the person's home directory */
export function createAutostart(
  app: Pick<App, 'getLoginItemSettings' | 'setLoginItemSettings'>,
  command: StartCommand,
  system: { readonly platform: NodeJS.Platform; readonly env: NodeJS.ProcessEnv; readonly home: string },
): Autostart {
  switch (system.platform) {
    case 'linux':
      return new DesktopEntry(command, system.env, system.home);
    case 'darwin':
    case 'win32':
      return loginItem(app, command, system.platform);
    default:
      return unsupported();
  }
}

function loginItem(
  app: Pick<App, 'getLoginItemSettings' | 'setLoginItemSettings'>,
  { program, args }: StartCommand,
  platform: 'darwin' | 'win32',
): Autostart {
  // macOS starts the bundle itself and takes no arguments; `wasOpenedAtLogin` says there that the session did it.
  const which = platform === 'darwin' ? {} : { path: program, args: args.map(quoted) };
  const facts = (): AutostartFacts => ({
    supported: true,
    enabled: app.getLoginItemSettings(which).openAtLogin,
    problem: undefined,
  });
  return {
    facts,
    set(enabled) {
      app.setLoginItemSettings({ ...which, openAtLogin: enabled });
      const now = facts();
      return now.enabled === enabled ? now : { ...now, problem: 'write_failed' };
    },
    // Windows looks the entry up by this program's own path, and macOS by its bundle: neither can name another file.
    correct: facts,
  };
}

/** The Windows registry keeps one command line. */
function quoted(argument: string): string {
  return /[\s"]/.test(argument) ? `"${argument.replace(/"/g, '\\"')}"` : argument;
}

function unsupported(): Autostart {
  const facts = (): AutostartFacts => ({ supported: false, enabled: false, problem: undefined });
  return { facts, set: facts, correct: facts };
}
