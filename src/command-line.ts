import { accountsCommand } from './host/cli/accounts.js';
import { apiKeyCommand } from './host/cli/api-key.js';
import { doctorCommand } from './host/cli/doctor.js';
import { HELP } from './host/cli/help.js';
import { CliError, complain, ExitCode, print, type CliIo } from './host/cli/io.js';
import { serveCommand } from './host/cli/serve.js';
import { signInCommand } from './host/cli/sign-in.js';
import { signOutCommand } from './host/cli/sign-out.js';
import { uiCommand } from './host/cli/ui.js';
import { buildFacts } from './host/build-facts.js';
import { ConfigError } from './host/config.js';

type Command = (args: readonly string[], io: CliIo) => Promise<ExitCode>;

const COMMANDS: ReadonlyMap<string, Command> = new Map([
  ['serve', serveCommand],
  ['doctor', doctorCommand],
  ['accounts', accountsCommand],
  ['sign-in', signInCommand],
  ['sign-out', signOutCommand],
  ['api-key', apiKeyCommand],
  ['ui', uiCommand],
]);

const HELP_FLAGS: ReadonlySet<string> = new Set(['--help', '-h']);

/** Runs one command line. Never throws: every failure is one line on standard error and an exit code. */
async function main(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  const [name, ...args] = argv;
  if (name === '--version') {
    print(io, `${buildFacts.version} (${buildFacts.git_rev}, ${buildFacts.build_time})`);
    return ExitCode.done;
  }
  if (name === 'help' || argv.some((arg) => HELP_FLAGS.has(arg))) {
    print(io, HELP);
    return ExitCode.done;
  }
  const command = name === undefined ? undefined : COMMANDS.get(name);
  if (command === undefined) {
    complain(io, name === undefined ? HELP : `Unknown command ${name}. --help lists the commands.`);
    return ExitCode.usage;
  }
  try {
    return await command(args, io);
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

void main(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  interactive: process.stdin.isTTY && process.stderr.isTTY,
}).then((code) => {
  // What a part left running must not keep a command that is done; what was printed leaves first.
  process.stdout.write('', () => process.exit(code));
});
