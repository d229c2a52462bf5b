import { parseArgs } from 'node:util';
import type { CommandSpec, FlagSpec } from './command-specs.js';
import { CliError, ExitCode } from './io.js';

/** What a command line is read by. */
type Spec = Pick<CommandSpec, 'args' | 'flags'>;

type Flags<S extends Spec> = {
  readonly [K in keyof S['flags']]?: S['flags'][K] extends { readonly value: string } ? string : boolean;
};
type Args<S extends Spec> = { readonly [K in keyof S['args']]: string };

/** Follows what was asked wrongly, so that the next try can be right. */
const HINT = '--help lists flags and arguments.';

/**
 * Flags and arguments of one command.
 * @throws CliError (exit 2) that names the unknown flag, the missing value or the argument that is too many
 */
export function readArgs<S extends Spec>(
  given: readonly string[],
  spec: S,
): { readonly flags: Flags<S>; readonly args: Args<S> } {
  const parsed = parse(given, spec.flags);
  // What an unset shell variable leaves behind; taken at its word it would mean the current folder.
  const empty = Object.keys(parsed.values).find((name) => parsed.values[name] === '');
  if (empty !== undefined) throw new CliError(`--${empty} is empty`, ExitCode.usage);
  const names = Object.keys(spec.args);
  const missing = names[parsed.positionals.length];
  if (missing !== undefined) throw new CliError(`<${missing}> is missing. ${HINT}`, ExitCode.usage);
  const tooMany = parsed.positionals[names.length];
  if (tooMany !== undefined) throw new CliError(`Unexpected argument ${tooMany}. ${HINT}`, ExitCode.usage);
  const args = Object.fromEntries(names.map((name, index) => [name, parsed.positionals[index]]));
  return { flags: parsed.values as Flags<S>, args: args as Args<S> };
}

function parse(given: readonly string[], flags: Readonly<Record<string, FlagSpec>>) {
  const options = Object.fromEntries(
    Object.entries(flags).map(
      ([name, { value }]) => [name, { type: value === undefined ? 'boolean' : 'string' }] as const,
    ),
  );
  try {
    return parseArgs({ args: [...given], options, strict: true, allowPositionals: true });
  } catch (error) {
    throw new CliError(`${usageMessage(error)}. ${HINT}`, ExitCode.usage);
  }
}

/** Node's first sentence, without its stop, names the flag; what follows explains its own syntax for positionals. */
function usageMessage(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split(/\.\s|\n/)[0] ?? message;
}

/** @throws CliError (exit 2) */
export function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (!(port <= 65_535)) throw new CliError('--port must be a number from 0 to 65535', ExitCode.usage);
  return port;
}
