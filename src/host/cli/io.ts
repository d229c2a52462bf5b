import type { Readable, Writable } from 'node:stream';

/** What a command of the command line reads and writes; the process's own streams unless a test says otherwise. */
export interface CliIo {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly env: NodeJS.ProcessEnv;
  /** A person sits at both ends: questions can be asked, a QR can be drawn. */
  readonly interactive: boolean;
}

/** How a command ended. `done` 0, `failed` 1: it could not be done, the reason was said; `usage` 2: it was asked wrongly. */
export const ExitCode = { done: 0, failed: 1, usage: 2 } as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** Ends a command with a reason for the person; `code` says whose mistake it was. */
export class CliError extends Error {
  override readonly name = 'CliError';
  constructor(
    message: string,
    readonly exitCode: ExitCode = ExitCode.failed,
  ) {
    super(message);
  }
}

export function print(io: CliIo, line = ''): void {
  io.stdout.write(`${line}\n`);
}

export function complain(io: CliIo, line: string): void {
  io.stderr.write(`${line}\n`);
}

/** Times as people read them, in their own time zone: `2026-01-15 13:00:05`. */
export function localTime(ms: number): string {
  const date = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000);
  return date.toISOString().slice(0, 19).replace('T', ' ');
}
