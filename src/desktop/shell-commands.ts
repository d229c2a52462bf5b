import type { Shell } from 'electron';
import type { AutostartFacts, Preferences, ShellCommandName, ShellResults } from '../bridge/index.js';
import { CommandError } from '../host/commands.js';
import type { Host } from '../host/index.js';
import { allowedLink } from './links.js';
import { checkShellParams } from './shell-params.js';

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

const DONE = {} as const;

/** Carries out the commands of the shell. @throws CommandError for everything that it refuses */
export function createShellCommands(
  parts: ShellCommandParts,
): (command: ShellCommandName, params: unknown) => Promise<ShellResults[ShellCommandName]> {
  return async (command, params) => {
    switch (command) {
      case 'set-preferences':
        parts.setPreferences(checkShellParams(command, params));
        return DONE;
      case 'set-autostart':
        return parts.setAutostart(checkShellParams(command, params).enabled);
      case 'copy-api-key':
        checkShellParams(command, params);
        return copyKey(parts, 'api-key');
      case 'rotate-and-copy-api-key':
        checkShellParams(command, params);
        return copyKey(parts, 'rotate-api-key');
      case 'copy-text':
        await parts.clipboard.writeText(checkShellParams(command, params).text);
        return DONE;
      case 'open-link':
        await openLink(parts.shell, checkShellParams(command, params).url);
        return DONE;
      case 'save-bundle':
        checkShellParams(command, params);
        return parts.saveBundle(running(parts));
      case 'show-data-dir':
        checkShellParams(command, params);
        await parts.shell.openPath(parts.dataDir);
        return DONE;
      case 'restart-host':
        checkShellParams(command, params);
        await parts.restartHost();
        return DONE;
      case 'use-secret-file':
        await parts.useSecretFile(checkShellParams(command, params).passphrase);
        return DONE;
      case 'use-keychain':
        checkShellParams(command, params);
        await parts.useKeychain();
        return DONE;
      case 'install-update':
        checkShellParams(command, params);
        if (!(await parts.installUpdate())) throw new CommandError('no_update', 'no update is ready');
        return DONE;
      case 'quit':
        checkShellParams(command, params);
        parts.quit();
        return DONE;
    }
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
