import type { Logger } from '../../src/base/logger.js';

/** One call of a logger: its level, the fields it was given, and its words as `message`. */
export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string | undefined;
  readonly [field: string]: unknown;
}

/** A logger that keeps what it is told in `lines`, so that a rule about logging can be tested. */
export function recordingLog(lines: LogLine[]): Logger {
  const at =
    (level: LogLine['level']) =>
    (fields: unknown, message?: unknown): void => {
      lines.push({
        ...(typeof fields === 'object' ? fields : {}),
        level,
        message: typeof message === 'string' ? message : typeof fields === 'string' ? fields : undefined,
      });
    };
  const log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), child: () => log };
  return log as unknown as Logger;
}
