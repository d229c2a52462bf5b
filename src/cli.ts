import { join } from 'node:path';
import { systemClock } from './base/clock.js';
import { loadBundle } from './base/load-bundle.js';
import type * as CommandLine from './command-line.js';
import { ExitCode } from './host/cli/io.js';
import { StopSignals } from './host/cli/stop-signals.js';

// The command line's entry is as small as can be: the program itself is a bundle of its own, so that it can come with what V8
// made of it when it was built, and so that the host hears a signal to stop before it was even loaded.
const stopping = new StopSignals(process, systemClock, () => process.exit(ExitCode.failed));
if (process.argv[2] === 'serve') stopping.listen();

const { runCommandLine } = loadBundle(join(__dirname, 'command-line.js')) as typeof CommandLine;
runCommandLine(stopping);
