import type { WindowCase } from '../support/window-case.js';
import { accountsCases } from './accounts.js';

/** Every state of every view. A view adds its own list here. */
export const ALL_CASES: readonly WindowCase[] = [...accountsCases];
