import { lstatSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

const FOLDER = 'xagent-connector';
const TITLE = 'xAgent Connector';

/** Where everything durable lives unless `--data-dir` says otherwise: the platform's own place for a program's data. */
export function defaultDataDir(
  platform: NodeJS.Platform = process.platform,
  env: NodeJS.ProcessEnv = process.env,
  home: string = homedir(),
): string {
  switch (platform) {
    case 'darwin':
      return join(home, 'Library', 'Application Support', TITLE);
    case 'win32':
      return join(env['APPDATA'] ?? join(home, 'AppData', 'Roaming'), TITLE);
    default:
      // The XDG rules say that a relative path there is to be ignored.
      return join(env['XDG_DATA_HOME']?.startsWith('/') ? env['XDG_DATA_HOME'] : join(home, '.local', 'share'), FOLDER);
  }
}

/** The data directory and the configuration file that a command line means. */
export interface Places {
  readonly dataDir: string;
  /** Undefined when none was named and the data directory holds none: the defaults apply. */
  readonly configFile: string | undefined;
}

const CONFIG_FILE = 'config.json';

/** `--config` and `--data-dir` turned into absolute places; a config file beside the data is found by itself. */
export function resolvePlaces(flags: {
  readonly config?: string | undefined;
  readonly dataDir?: string | undefined;
}): Places {
  const dataDir = resolve(flags.dataDir ?? defaultDataDir());
  if (flags.config !== undefined) return { dataDir, configFile: resolve(flags.config) };
  const beside = join(dataDir, CONFIG_FILE);
  return { dataDir, configFile: isNamed(beside) ? beside : undefined };
}

/** Also a link that leads nowhere: who put it there does not mean the defaults. */
function isNamed(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A data directory that can't be looked into says so itself when it is opened.
    return false;
  }
}
