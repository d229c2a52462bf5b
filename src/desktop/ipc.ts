import type { IpcMain, IpcMainInvokeEvent, WebContents } from 'electron';
import { SOCKET_ONLY, type Answer, type ShellCommandName, type WindowState } from '../bridge/index.js';
import type { Logger } from '../base/logger.js';
import { CommandError } from '../host/command-error.js';
import { isCommandName } from '../host/commands.js';
import type { Host } from '../host/index.js';
import { refusalOf } from '../host/refusal.js';
import { CHANNELS } from './channels.js';
import { isPageUrl } from './page-address.js';
import { isShellCommand } from './shell-commands.js';

export interface IpcParts {
  /** The page of the window that is open now. */
  contents(): WebContents | undefined;
  host(): Host | undefined;
  state(): WindowState;
  /** Carries out a command of the shell. @throws CommandError for everything that it refuses */
  shell(command: ShellCommandName, params: unknown): Promise<unknown>;
  readonly log: () => Logger | undefined;
}

/** What of a message's origin decides whether it is heard. */
export interface Sender {
  readonly sender: unknown;
  readonly senderFrame: { readonly url: string; readonly parent: unknown } | null;
}

/** The page asked for something from where it must not: another frame, another page, a window that is gone. */
const REFUSED = new CommandError('untrusted_sender', 'this page may not ask');

/** Whether a message comes from the page of the window that is open now, from its main frame and from our own address. */
export function isTrusted({ sender, senderFrame }: Sender, contents: WebContents | undefined): boolean {
  if (contents === undefined || contents.isDestroyed() || sender !== contents) return false;
  return senderFrame !== null && senderFrame.parent === null && isPageUrl(senderFrame.url);
}

/** Listens to the page: each message is checked for its sender, its command and its parameters, and answered, never thrown at. */
export function serveIpc(ipc: IpcMain, parts: IpcParts): void {
  const handle = (channel: string, carryOut: (command: unknown, params: unknown) => Promise<unknown>): void => {
    ipc.handle(channel, async (event: IpcMainInvokeEvent, command: unknown, params: unknown): Promise<Answer> => {
      try {
        if (!isTrusted(event, parts.contents())) throw REFUSED;
        return { result: await carryOut(command, params) };
      } catch (error) {
        const { code, message } = refusalOf(error, channel, parts.log());
        return { error: { code, message } };
      }
    });
  };

  handle(CHANNELS.call, async (command, params) => {
    if (typeof command !== 'string' || !isCommandName(command) || SOCKET_ONLY.includes(command)) throw unknownCommand();
    const host = parts.host();
    if (host === undefined) throw new CommandError('host_not_running', 'the host does not run right now');
    return host.execute(command, params);
  });
  handle(CHANNELS.shell, async (command, params) => {
    if (typeof command !== 'string' || !isShellCommand(command)) throw unknownCommand();
    return parts.shell(command, params);
  });
  ipc.handle(CHANNELS.state, async (event: IpcMainInvokeEvent): Promise<WindowState> => {
    if (!isTrusted(event, parts.contents())) throw REFUSED;
    return parts.state();
  });
}

function unknownCommand(): CommandError {
  return new CommandError('unknown_command', 'there is no such command');
}
