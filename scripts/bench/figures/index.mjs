// Every figure, in the order of the table. One marked `long` takes many minutes and runs only when asked for.
import { accepted } from './accepted.mjs';
import { curve } from './curve.mjs';
import { desktop } from './desktop.mjs';
import { away, drain } from './held.mjs';
import { inbound } from './inbound.mjs';
import { ping } from './ping.mjs';
import { queue } from './queue.mjs';
import { idleProcessor } from './quiet.mjs';
import { soak } from './soak.mjs';
import { idleMemory, start } from './start.mjs';
import { telegram } from './telegram.mjs';
import { upload } from './upload.mjs';

export const FIGURES = [
  ping,
  accepted,
  inbound,
  telegram,
  away,
  drain,
  upload,
  start,
  idleMemory,
  idleProcessor,
  soak,
  queue,
  desktop,
  curve,
];
