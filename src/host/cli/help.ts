import { COMMANDS, PLACE_FLAGS, type CommandName, type CommandSpec, type FlagSpec } from './command-specs.js';

/** How the program is started where nothing was installed; documents and messages say the same. */
const PROGRAM = 'node dist/cli.js';
/** Width of a terminal that nobody has made wider; characters. */
const WIDTH = 100;
/** What exit code 2 means, for every command alike. */
const USAGE = 'asked wrongly: an unknown flag, argument or configuration key, which is named';

type Flags = Readonly<Record<string, FlagSpec>>;

/** `--help` alone: every command with a line. */
export function overview(): string {
  return [
    'xAgent Connector: connects your own chat accounts to an AI agent on this machine.',
    '',
    ...table(synopses()),
    '',
    'Every command takes',
    ...table(flagRows(PLACE_FLAGS)),
    '',
    `${PROGRAM} <command> --help says more about one. --version prints the version.`,
    '',
    'Exit codes: 0 done, 1 not possible (the reason is printed), 2 asked wrongly.',
  ].join('\n');
}

/** Each command: name, what only it takes, and what it does in a line. */
export function synopses(): string[][] {
  return Object.entries<CommandSpec>(COMMANDS).map(([name, spec]) => [
    name,
    [...argWords(spec), ...flagWords(ownFlags(spec))].join(' '),
    spec.summary,
  ]);
}

/** `<command> --help`: everything about one. */
export function commandHelp(name: CommandName): string {
  const spec: CommandSpec = COMMANDS[name];
  const usage = [PROGRAM, name, ...argWords(spec), ...flagWords(spec.flags)].join(' ');
  return [
    ...wrap(`Usage: ${usage}`, 7),
    '',
    ...wrap(spec.about, 0),
    '',
    ...table([...Object.entries(spec.args).map(([arg, meaning]) => [`<${arg}>`, meaning]), ...flagRows(spec.flags)]),
    '',
    'Exit codes',
    ...table([
      ['0', spec.done],
      ['1', spec.failed],
      ['2', USAGE],
    ]),
    '',
    'Example',
    `  ${PROGRAM} ${spec.example}`,
  ].join('\n');
}

function ownFlags({ flags }: CommandSpec): Flags {
  return Object.fromEntries(Object.entries(flags).filter(([name]) => !Object.hasOwn(PLACE_FLAGS, name)));
}

function argWords({ args }: CommandSpec): string[] {
  return Object.keys(args).map((name) => `<${name}>`);
}

function flagWords(flags: Flags): string[] {
  return Object.entries(flags).map(([name, flag]) => `[${flagWord(name, flag)}]`);
}

function flagWord(name: string, { value }: FlagSpec): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}

function flagRows(flags: Flags): string[][] {
  return Object.entries(flags).map(([name, flag]) => [
    flagWord(name, flag),
    `${flag.meaning} (default: ${flag.fallback})`,
  ]);
}

/** Rows in columns, indented by two; the last column is wrapped under itself. */
function table(rows: readonly (readonly string[])[]): string[] {
  const width = (column: number): number => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  return rows.flatMap((row) => {
    const cells = row.slice(0, -1).map((cell, column) => cell.padEnd(width(column)));
    const lead = `  ${cells.join('  ')}  `;
    return wrap(`${lead}${row.at(-1) ?? ''}`, lead.length);
  });
}

/** @param indent spaces before every line but the first */
function wrap(text: string, indent: number): string[] {
  const lines: string[] = [];
  let line = text;
  while (line.length > WIDTH) {
    const space = line.lastIndexOf(' ', WIDTH);
    if (space <= indent) break;
    lines.push(line.slice(0, space));
    line = ' '.repeat(indent) + line.slice(space + 1);
  }
  return [...lines, line];
}
