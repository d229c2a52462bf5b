// Every figure, in the order of the table. One marked `long` takes many minutes and runs only when asked for.
import { accepted } from './accepted.mjs';
import { inbound } from './inbound.mjs';
import { ping } from './ping.mjs';
import { idleMemory, start } from './start.mjs';

export const FIGURES = [ping, accepted, inbound, start, idleMemory];
