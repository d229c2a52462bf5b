import type { AutostartFacts } from '../bridge/index.js';

/** Starting with the session, off until the person switches it on. Each call looks at the system anew. */
export interface Autostart {
  /** What the system has now. */
  facts(): AutostartFacts;
  /** @returns what the system has afterwards; `problem` says when it refused */
  set(enabled: boolean): AutostartFacts;
  /** At each start: an entry that names a file from where the program was moved away is set right. */
  correct(): AutostartFacts;
}

/** How the session starts us again: without a window, on the same data. */
export interface StartCommand {
  readonly program: string;
  readonly args: readonly string[];
}

/**
 * The command with which the session starts this very program again. An AppImage is mounted anew at each start, so that its
 * file and not the program in it is named.
 * @param args flags to keep, such as the data directory
 */
export function startCommand(
  process: { readonly execPath: string; readonly env: NodeJS.ProcessEnv },
  appPath: string | undefined,
  args: readonly string[],
): StartCommand {
  const appImage = process.env['APPIMAGE'];
  if (appImage !== undefined && appImage !== '') return { program: appImage, args: ['--hidden', ...args] };
  return { program: process.execPath, args: [...(appPath === undefined ? [] : [appPath]), '--hidden', ...args] };
}
