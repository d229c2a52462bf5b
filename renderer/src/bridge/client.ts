import type {
  CommandName,
  ParamsOf,
  ResultOf,
  ShellCommandName,
  ShellFacts,
  ShellParamsOf,
  ShellResultOf,
  WindowState,
} from '../../../src/bridge/index.js';

/** What the window knows about its host. */
export type View =
  /** Nothing was heard yet. */
  | { readonly kind: 'loading' }
  /** Only in a browser: this page has no session, or not any more; a fresh link gives one. */
  | { readonly kind: 'no_session'; readonly shell: ShellFacts }
  | { readonly kind: 'ready'; readonly state: WindowState };

/** The window's end of the bridge, over whatever carries it. */
export interface BridgeClient {
  /** The latest view; the same object until it changes. */
  view(): View;
  /** Calls after every change of {@link view}; the function returned ends it. */
  onView(fn: () => void): () => void;
  /** Gives the host a command. @throws CommandRefused */
  call<C extends CommandName>(command: C, params: ParamsOf<C>): Promise<ResultOf<C>>;
  /** Gives the shell around the window a command. @throws CommandRefused, `desktop_only` for what a browser can't do */
  shell<C extends ShellCommandName>(command: C, params: ShellParamsOf<C>): Promise<ShellResultOf<C>>;
}

/** The command was not carried out; the code is stable and has words (`refusal.…`). */
export class CommandRefused extends Error {
  override readonly name = 'CommandRefused';
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** Any failure of a command as a refusal, so that nothing a person did ends in silence. */
export function asRefusal(error: unknown): CommandRefused {
  if (error instanceof CommandRefused) return error;
  return new CommandRefused('internal_error', error instanceof Error ? error.message : 'the command failed');
}
