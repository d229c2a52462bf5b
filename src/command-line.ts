import { errorCode } from './base/error-code.js';
import { accountsCommand } from './host/cli/accounts.js';
import { apiKeyCommand } from './host/cli/api-key.js';
import { doctorCommand } from './host/cli/doctor.js';
import { isCommand, type CommandName } from './host/cli/command-specs.js';
import { commandHelp, overview } from './host/cli/help.js';
import { CliError, complain, ExitCode, print, type CliIo } from './host/cli/io.js';
import { serveCommand } from './host/cli/serve.js';
import { signInCommand } from './host/cli/sign-in.js';
import { signOutCommand } from './host/cli/sign-out.js';
import type { StopSignals } from './host/cli/stop-signals.js';
import { uiCommand } from './host/cli/ui.js';
import { buildFacts } from './host/build-facts.js';
import { ConfigError } from './host/config.js';

type Command = (args: readonly string[], io: CliIo, stopping: StopSignals) => Promise<ExitCode>;

const RUN: Readonly<Record<CommandName, Command>> = {
  serve: serveCommand,
  doctor: doctorCommand,
  accounts: accountsCommand,
  'sign-in': signInCommand,
  'sign-out': signOutCommand,
  ui: uiCommand,
  'api-key': apiKeyCommand,
};

/** Commands that are run for what they do: they did it, whatever became of their words. */
const ACTING: ReadonlySet<string> = new Set<CommandName>(['serve', 'sign-in', 'sign-out']);

const HELP_FLAGS: ReadonlySet<string> = new Set(['--help', '-h']);

/** Runs one command line. Never throws: every failure is one line on standard error and an exit code. */
async function main(argv: readonly string[], io: CliIo, stopping: StopSignals): Promise<ExitCode> {
  if (argv[0] === '--version') {
    print(io, `${buildFacts.version} (${buildFacts.git_rev}, ${buildFacts.build_time})`);
    return ExitCode.done;
  }
  const wantsHelp = argv[0] === 'help' || argv.some((arg) => HELP_FLAGS.has(arg));
  const [name, ...args] = wantsHelp ? argv.filter((arg) => arg !== 'help' && !HELP_FLAGS.has(arg)) : argv;
  if (name === undefined) {
    (wantsHelp ? print : complain)(io, overview());
    return wantsHelp ? ExitCode.done : ExitCode.usage;
  }
  if (!isCommand(name)) {
    complain(io, `Unknown command ${name}. --help lists the commands.`);
    return ExitCode.usage;
  }
  if (wantsHelp) {
    print(io, commandHelp(name));
    return ExitCode.done;
  }
  try {
    return await RUN[name](args, io, stopping);
  } catch (error) {
    return explain(error, io);
  }
}

function explain(error: unknown, io: CliIo): ExitCode {
  if (error instanceof CliError) {
    complain(io, error.message);
    return error.exitCode;
  }
  if (error instanceof ConfigError) {
    for (const problem of error.problems) complain(io, problem);
    return ExitCode.usage;
  }
  complain(io, error instanceof Error ? `${error.name}: ${error.message}` : 'the command failed');
  return ExitCode.failed;
}

/** Runs the command line of this process and ends it. */
export function runCommandLine(stopping: StopSignals): void {
  const io: CliIo = {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    interactive: process.stdin.isTTY && process.stderr.isTTY,
  };
  // The last write below tells what became of the others; unheard, the event would end the process with Node's own words.
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
  const argv = process.argv.slice(2);
  void main(argv, io, stopping).then((code) => {
    // What a part left running must not keep a command that is done; what was printed leaves first.
    process.stdout.write('', (error) => {
      if (!isLost(argv, error)) process.exit(code);
      complain(io, `What was to be printed could not be written (${errorCode(error) ?? 'unknown'}).`);
      process.exit(ExitCode.failed);
    });
  });
}

/** Whether the output that was the point of a command is gone. A reader that has seen enough and left is no loss. */
function isLost([command = '']: readonly string[], error: Error | null | undefined): boolean {
  return error instanceof Error && errorCode(error) !== 'EPIPE' && !ACTING.has(command);
}
