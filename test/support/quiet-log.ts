import { pino } from 'pino';
import type { Logger } from '../../src/base/logger.js';

/** A log that says nothing. */
export const quietLog: Logger = pino({ level: 'silent' });
