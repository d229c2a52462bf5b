import type { Shell } from 'electron';
import {
  ShellParams,
  type AutostartFacts,
  type Preferences,
  type ShellCommandName,
  type ShellParamsOf,
  type ShellResultOf,
  type ShellResults,
} from '../bridge/index.js';
import { paramsChecker } from '../host/checked-params.js';
import { CommandError } from '../host/command-error.js';
import type { Host } from '../host/index.js';
import { allowedLink } from './links.js';

/** What the shell's commands act on. */
export interface ShellCommandParts {
  readonly clipboard: { writeText(text: string): void | Promise<void> };
  readonly shell: Pick<Shell, 'openExternal' | 'openPath'>;
  readonly dataDir: string;
  host(): Host | undefined;
  setPreferences(changes: Partial<Preferences>): void;
  setAutostart(enabled: boolean): Promise<AutostartFacts>;
  saveBundle(host: Host): Promise<{ readonly saved: boolean }>;
  restartHost(): Promise<void>;
  /** The encrypted file with this passphrase from now on. */
  useSecretFile(passphrase: string): Promise<void>;
  useKeychain(): Promise<void>;
  /** @returns false when none is ready */
  installUpdate(): Promise<boolean>;
  quit(): void;
}

/** Carries out one command of the shell. @throws CommandError for everything that it refuses */
export type ExecuteShell = <C extends ShellCommandName>(command: C, params: unknown) => Promise<ShellResultOf<C>>;

type Handlers = {
  readonly [C in ShellCommandName]: (params: ShellParamsOf<C>) => Promise<ShellResults[C]> | ShellResults[C];
};

const DONE = {} as const;

const checkParams = paramsChecker(ShellParams);

export function isShellCommand(name: string): name is ShellCommandName {
  return Object.hasOwn(ShellParams, name);
}

/** Every command of the shell, checked and carried out. */
export function createShellCommands(parts: ShellCommandParts): ExecuteShell {
  const handlers = createHandlers(parts);
  return async (command, params) => handlers[command](checkParams(command, params));
}

function createHandlers(parts: ShellCommandParts): Handlers {
  const { clipboard, shell } = parts;
  return {
    'set-preferences': (changes) => {
      parts.setPreferences(changes);
      return DONE;
    },
    'set-autostart': ({ enabled }) => parts.setAutostart(enabled),
    'copy-api-key': () => copyKey(parts, 'api-key'),
    'rotate-and-copy-api-key': () => copyKey(parts, 'rotate-api-key'),
    'copy-text': async ({ text }) => {
      await clipboard.writeText(text);
      return DONE;
    },
    'open-link': async ({ url }) => {
      await openLink(shell, url);
      return DONE;
    },
    'save-bundle': () => parts.saveBundle(running(parts)),
    'show-data-dir': async () => {
      await shell.openPath(parts.dataDir);
      return DONE;
    },
    'restart-host': async () => {
      await parts.restartHost();
      return DONE;
    },
    'use-secret-file': async ({ passphrase }) => {
      await parts.useSecretFile(passphrase);
      return DONE;
    },
    'use-keychain': async () => {
      await parts.useKeychain();
      return DONE;
    },
    'install-update': async () => {
      if (!(await parts.installUpdate())) throw new CommandError('no_update', 'no update is ready');
      return DONE;
    },
    quit: () => {
      parts.quit();
      return DONE;
    },
  };
}

/** Opens an address of the allow-list in the person's browser. @throws CommandError `link_refused` */
async function openLink(shell: Pick<Shell, 'openExternal'>, url: string): Promise<void> {
  const link = allowedLink(url);
  if (link === undefined) throw new CommandError('link_refused', 'this address may not be opened');
  await shell.openExternal(link);
}

/** The key goes straight to the clipboard: the page, which shows what others wrote, never holds it. */
async function copyKey(parts: ShellCommandParts, command: 'api-key' | 'rotate-api-key'): Promise<typeof DONE> {
  const { apiKey } = await running(parts).execute(command, {});
  await parts.clipboard.writeText(apiKey);
  return DONE;
}

function running(parts: ShellCommandParts): Host {
  const host = parts.host();
  if (host === undefined) throw new CommandError('host_not_running', 'the host does not run right now');
  return host;
}
