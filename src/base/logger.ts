import type { Logger as Pino } from 'pino';

/** What the rooms need of a logger. The sink redacts (see host/logging), but callers still log codes, not upstream objects. */
export type Logger = Pick<Pino, 'debug' | 'info' | 'warn' | 'error' | 'child'>;
