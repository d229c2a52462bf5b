import { join } from 'node:path';
import { pino } from 'pino';
import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import type { Config } from './config-schema.js';
import { LogFile } from './log-file.js';
import { Redactor } from './redaction.js';
import type { SecretRegistry } from './secret-registry.js';

export const LOGS_FOLDER = 'logs';

/** Where a line goes besides the file; standard error unless a test or the desktop app says otherwise. */
export interface LogOutput {
  write(line: string): void;
}

export interface Logging {
  readonly log: Logger;
  readonly redactor: Redactor;
  /** Flushes the file; later lines go to the output only. */
  readonly close: () => Promise<void>;
}

/**
 * JSON lines to standard error and to rotating files in `<data dir>/logs`. Every line passes the redactor on its way
 * out, so nothing that is logged anywhere can carry a secret to either. Logging never throws.
 */
export function createLogging(options: {
  level: Config['log']['level'];
  dataDir: string;
  clock: Clock;
  secrets: SecretRegistry;
  output?: LogOutput;
}): Logging {
  const redactor = new Redactor(options.secrets);
  const file = new LogFile(join(options.dataDir, LOGS_FOLDER), options.clock);
  const output = options.output ?? standardError();
  const sink = {
    write(line: string): void {
      const clean = redactor.line(line);
      output.write(clean);
      file.write(clean);
    },
  };
  const log = pino(
    { level: options.level, base: { pid: process.pid }, timestamp: () => `,"time":${options.clock.now()}` },
    sink,
  );
  return { log, redactor, close: () => file.close() };
}

/** Standard error that may be closed at its other end (EPIPE) or full: the line is lost, the program goes on. */
function standardError(): LogOutput {
  let usable = true;
  process.stderr.on('error', () => {
    usable = false;
  });
  return {
    write(line) {
      if (!usable) return;
      try {
        process.stderr.write(line);
      } catch {
        usable = false;
      }
    },
  };
}
