/**
 * The commands of the command line, once: what is read of a command line, what `--help` says and what docs/commands.md and the
 * README list. Texts are English, as everything that the command line prints.
 */

/** One flag. With `value`, the name of what follows it; without, it is on or off. */
export interface FlagSpec {
  readonly value?: string;
  readonly meaning: string;
  /** What holds when it is not given, in words. */
  readonly fallback: string;
}

export interface CommandSpec {
  /** One line of the overview. */
  readonly summary: string;
  /** What it does, in two sentences or so. */
  readonly about: string;
  /** Its arguments in their order, all required, each with what it stands for. */
  readonly args: Readonly<Record<string, string>>;
  readonly flags: Readonly<Record<string, FlagSpec>>;
  /** What exit code 0 and 1 mean here; 2 means the same for all. */
  readonly done: string;
  readonly failed: string;
  /** A command line as it can be typed, without the program's name. */
  readonly example: string;
}

/** Every command knows these two: they say which host is meant. */
export const PLACE_FLAGS = {
  'data-dir': {
    value: 'DIR',
    meaning: 'where the host keeps its data',
    fallback: "the system's own place for it, such as ~/.local/share/xagent-connector",
  },
  config: {
    value: 'FILE',
    meaning: 'configuration file',
    fallback: 'config.json in the data directory, when there is one',
  },
} as const satisfies Readonly<Record<string, FlagSpec>>;

const OFF = 'off';
const NO_HOST = 'no host runs on that data directory';

export const COMMANDS = {
  serve: {
    summary: 'run the connector host until it is stopped',
    about:
      'Runs the connector host without a window until Ctrl-C or a signal stops it. It prints the base URLs that an agent is given, ' +
      'and logs to standard error.',
    args: {},
    flags: {
      port: {
        value: 'N',
        meaning: 'port to listen on; 0 takes a free one',
        fallback: 'server.port of the configuration, else 19080',
      },
      'ready-json': {
        meaning: 'print one JSON line for scripts once it accepts connections, instead of words',
        fallback: OFF,
      },
      ...PLACE_FLAGS,
    },
    done: 'it was stopped',
    failed: 'it could not start: the port is taken, another host runs on that data directory, there is no passphrase',
    example: 'serve --port 19180',
  },
  doctor: {
    summary: 'check what the host needs and say what to do',
    about:
      'Checks port, data directory, keychain, clock, networks and accounts, and prints a line each with what to do. ' +
      'It looks at the running host when there is one, and works without one.',
    args: {},
    flags: {
      json: { meaning: 'print the findings as one JSON object', fallback: OFF },
      ...PLACE_FLAGS,
    },
    done: 'nothing is broken; warnings may be among the lines',
    failed: 'something is broken',
    example: 'doctor --json',
  },
  accounts: {
    summary: 'list who is signed in',
    about:
      'Lists who is signed in on the running host: id, network, name, state, whether an agent is connected, and how many messages wait. ' +
      'Id or name is what sign-out takes.',
    args: {},
    flags: {
      json: { meaning: 'print a JSON array, with the names of GET /status', fallback: OFF },
      ...PLACE_FLAGS,
    },
    done: 'listed, also when nobody is signed in',
    failed: NO_HOST,
    example: 'accounts --json',
  },
  'sign-in': {
    summary: "sign in: a QR code here, or the form's fields",
    about:
      'Signs in to a network on the running host, as the window does. ' +
      'A QR code is drawn in the terminal; the fields of a form are asked for, or read from standard input.',
    args: { connector: 'the network: wechat, telegram, feishu, xmpp or local' },
    flags: {
      'input-stdin': {
        meaning: "read the form's fields as one JSON object from standard input, never from an argument",
        fallback: 'off: they are asked for',
      },
      ...PLACE_FLAGS,
    },
    done: 'signed in',
    failed: `not signed in, the reason is printed; or ${NO_HOST}`,
    example: 'sign-in telegram',
  },
  'sign-out': {
    summary: 'end a sign-in everywhere',
    about:
      'Ends a sign-in everywhere: the connection to the network is closed, the agent is told, the credentials are deleted. ' +
      'Messages that still wait for it are given up.',
    args: { account: 'its id, or its name when no other account has it; accounts prints both' },
    flags: PLACE_FLAGS,
    done: 'signed out',
    failed: `there is no such account, or more than one of that name; or ${NO_HOST}`,
    example: 'sign-out @your_bot',
  },
  ui: {
    summary: 'print a link that opens the window in a browser, once',
    about:
      "Prints a link that opens the running host's window in a browser on this machine. It works once, within two minutes.",
    args: {},
    flags: PLACE_FLAGS,
    done: 'printed',
    failed: NO_HOST,
    example: 'ui',
  },
  'api-key': {
    summary: 'print the key that agents need, or make a new one',
    about:
      "Prints the running host's API key, alone on its line. With it an agent can read and write as you: give it to nobody else.",
    args: {},
    flags: {
      rotate: {
        meaning: 'make a new key first; the old one stops working and whoever used it is cut off',
        fallback: OFF,
      },
      ...PLACE_FLAGS,
    },
    done: 'printed',
    failed: `its secrets can't be read, or the configuration fixes the key; or ${NO_HOST}`,
    example: 'api-key --rotate',
  },
} as const satisfies Readonly<Record<string, CommandSpec>>;

export type CommandName = keyof typeof COMMANDS;

export function isCommand(name: string | undefined): name is CommandName {
  return name !== undefined && Object.hasOwn(COMMANDS, name);
}
