import { app } from 'electron';
import { systemClock } from '../base/clock.js';
import { ExitCode } from '../host/cli/io.js';
import { StopSignals } from '../host/cli/stop-signals.js';

/** The signals that stop the app, heard from here on. To be imported before everything that takes time to load. */
export const stopping = new StopSignals(process, systemClock, () => app.exit(ExitCode.failed));
stopping.listen();
