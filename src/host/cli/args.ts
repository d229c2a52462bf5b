import { parseArgs } from 'node:util';
import { CliError, ExitCode } from './io.js';

/** A command's own flags: `string` takes a value, `boolean` none. */
export type FlagSpec = Readonly<Record<string, 'string' | 'boolean'>>;

type Flags<S extends FlagSpec> = { readonly [K in keyof S]?: S[K] extends 'string' ? string : boolean };

/** Every command knows these two: they say which host is meant. */
export const PLACE_FLAGS = { config: 'string', 'data-dir': 'string' } as const satisfies FlagSpec;

/** Follows what was asked wrongly, so that the next try can be right. */
const HINT = '--help lists flags and arguments.';

/**
 * Flags and arguments of one command.
 * @param positionals names of the arguments it takes, all required
 * @throws CliError (exit 2) that names the unknown flag, the missing value or the argument that is too many
 */
export function readArgs<S extends FlagSpec>(
  args: readonly string[],
  spec: S,
  positionals: readonly string[] = [],
): { readonly flags: Flags<S>; readonly positionals: readonly string[] } {
  const options = Object.fromEntries(Object.entries(spec).map(([name, type]) => [name, { type }]));
  let parsed: { values: Record<string, unknown>; positionals: string[] };
  try {
    parsed = parseArgs({ args: [...args], options, strict: true, allowPositionals: true });
  } catch (error) {
    throw new CliError(`${usageMessage(error)}. ${HINT}`, ExitCode.usage);
  }
  // What an unset shell variable leaves behind; taken at its word it would mean the current folder.
  const empty = Object.keys(parsed.values).find((name) => parsed.values[name] === '');
  if (empty !== undefined) throw new CliError(`--${empty} is empty`, ExitCode.usage);
  const missing = positionals[parsed.positionals.length];
  if (missing !== undefined) throw new CliError(`<${missing}> is missing. ${HINT}`, ExitCode.usage);
  const tooMany = parsed.positionals[positionals.length];
  if (tooMany !== undefined) throw new CliError(`Unexpected argument ${tooMany}. ${HINT}`, ExitCode.usage);
  return { flags: parsed.values as Flags<S>, positionals: parsed.positionals };
}

/** Node's first sentence names the flag; what follows explains its own syntax for positionals. */
function usageMessage(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split(/\. |\n/)[0] ?? message;
}

/** @throws CliError (exit 2) */
export function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (!(port <= 65_535)) throw new CliError('--port must be a number from 0 to 65535', ExitCode.usage);
  return port;
}
