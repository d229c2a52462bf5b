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
  void main(process.argv.slice(2), io, stopping).then((code) => {
    // What a part left running must not keep a command that is done; what was printed leaves first.
    process.stdout.write('', () => process.exit(code));
  });
}
