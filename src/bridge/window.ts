import Type, { type Static, type TSchema } from 'typebox';
import type { CommandRefusal } from './bridge.js';
import { MAX_MESSAGE_LENGTH } from './limits.js';
import type { Snapshot } from './snapshot.js';

/**
 * What a window speaks beyond the host's commands: one state that holds everything it shows, and the commands of the shell
 * around it (the desktop app; in a browser the page itself stands in for it and can do less).
 */

/** Everything a window shows, as plain values. */
export interface WindowState {
  readonly host: HostStage;
  readonly shell: ShellFacts;
}

/** Where the host of this window stands. A window lives through all of it. Times are Unix ms. */
export type HostStage =
  | { readonly stage: 'starting'; readonly since: number }
  | { readonly stage: 'running'; readonly snapshot: Snapshot }
  /** Code as in the host's errors: `data_dir_locked`, `passphrase_needed`, `config_invalid`, `store_failed`, …; the message is for logs. */
  | { readonly stage: 'failed'; readonly code: string; readonly message: string; readonly since: number }
  | { readonly stage: 'stopping'; readonly since: number }
  /** Only in a browser: the connection to the host is gone and tried again. */
  | { readonly stage: 'unreachable'; readonly last: Snapshot | undefined; readonly since: number };

export type Language = 'en' | 'zh';

export interface ShellFacts {
  readonly kind: 'desktop' | 'browser';
  readonly platform: 'linux' | 'darwin' | 'win32' | 'other';
  /** What `system` stands for. */
  readonly systemLanguage: Language;
  readonly preferences: Preferences;
  /** Whether the desktop shows our tray icon; without one, closing the window only minimises it. */
  readonly tray: 'shown' | 'none';
  /** Whether this computer has a network at all, as its system says. */
  readonly online: boolean;
  readonly autostart: AutostartFacts;
  readonly update: UpdateFacts;
}

export interface AutostartFacts {
  readonly supported: boolean;
  readonly enabled: boolean;
  /** Why it can't be, or is not what it should be: `moved` (the entry named another file; corrected), `write_failed`. */
  readonly problem: string | undefined;
}

export type UpdateFacts =
  | { readonly status: 'off' }
  | { readonly status: 'idle'; readonly checkedAt: number | undefined }
  | { readonly status: 'downloading' | 'ready'; readonly version: string }
  | { readonly status: 'failed'; readonly code: string };

/** The person's choices about the window itself; nothing that delivery depends on. */
export const Preferences = Type.Object(
  {
    language: Type.Enum(['system', 'en', 'zh']),
    theme: Type.Enum(['system', 'light', 'dark']),
    /** Message text in the Messages view; hidden until asked for. */
    showMessageText: Type.Boolean(),
    /** Which of the three notifications are shown. */
    notifySignIn: Type.Boolean(),
    notifyExpired: Type.Boolean(),
    notifyAgentAway: Type.Boolean(),
    /** Message text in notifications. */
    notificationText: Type.Boolean(),
  },
  { additionalProperties: false },
);
export type Preferences = Static<typeof Preferences>;

function params<P extends Record<string, TSchema>>(properties: P) {
  return Type.Object(properties, { additionalProperties: false });
}

/** Commands of the shell; those a browser can't carry out are refused with `desktop_only`. */
export const ShellParams = {
  'set-preferences': Type.Partial(Preferences, { additionalProperties: false }),
  'set-autostart': params({ enabled: Type.Boolean() }),
  /** The key goes to the clipboard and never to the window. */
  'copy-api-key': params({}),
  'rotate-and-copy-api-key': params({}),
  /** A message at most. */
  'copy-text': params({ text: Type.String({ minLength: 1, maxLength: MAX_MESSAGE_LENGTH }) }),
  /** Opens in the person's browser; only https origins on the shell's own list. */
  'open-link': params({ url: Type.String({ minLength: 1, maxLength: 4096 }) }),
  'save-bundle': params({}),
  'show-data-dir': params({}),
  /** Starts the host again after it failed, or with changed settings. */
  'restart-host': params({}),
  /**
   * The encrypted file instead of the keychain, which the person agreed to; or the passphrase of one that is in use. A new one
   * takes {@link MIN_NEW_PASSPHRASE}.
   */
  'use-secret-file': params({ passphrase: Type.String({ minLength: 1, maxLength: 1024 }) }),
  'use-keychain': params({}),
  'install-update': params({}),
  quit: params({}),
} as const;

export type ShellCommandName = keyof typeof ShellParams;
export type ShellParamsOf<C extends ShellCommandName> = Static<(typeof ShellParams)[C]>;

export interface ShellResults {
  'set-preferences': Done;
  'set-autostart': AutostartFacts;
  'copy-api-key': Done;
  'rotate-and-copy-api-key': Done;
  'copy-text': Done;
  'open-link': Done;
  /** False when the person chose no place. */
  'save-bundle': { readonly saved: boolean };
  'show-data-dir': Done;
  'restart-host': Done;
  'use-secret-file': Done;
  'use-keychain': Done;
  'install-update': Done;
  quit: Done;
}
export type ShellResultOf<C extends ShellCommandName> = ShellResults[C];
type Done = Readonly<Record<string, never>>;

/** How commands are answered where errors can't be thrown across, such as Electron's context bridge. */
export type Answer = { readonly result: unknown } | { readonly error: CommandRefusal };

/** What the preload script offers the window as `window.xagentConnector`; functions only. */
export interface WindowApi {
  call(command: string, params: unknown): Promise<Answer>;
  shell(command: string, params: unknown): Promise<Answer>;
  state(): Promise<WindowState>;
  /** Calls with every new state; the function returned ends it. */
  onState(fn: (state: WindowState) => void): () => void;
}
