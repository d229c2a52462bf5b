import { chaos } from './chaos.js';
import { disk } from './disk.js';
import { kills } from './kills.js';
import { neighbours } from './neighbours.js';
import { pressure } from './pressure.js';
import type { Scenario } from './scenario.js';

/** Every scenario, in the order in which `npm run torture` runs them. */
export const SCENARIOS: readonly Scenario[] = [kills, chaos, pressure, disk, neighbours];
