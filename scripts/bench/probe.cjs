// Loaded into a measured process before its own code: answers what only the process itself can see.
const { monitorEventLoopDelay } = require('node:perf_hooks');
const { getHeapSpaceStatistics, setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

/** How closely the loop is watched, ms: a stall shows up to this much longer than it was. */
const RESOLUTION_MS = 1;
const MIB = 1024 * 1024;

const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();

process.on('message', ({ collect }) => {
  const stallMs = delay.max / 1e6;
  if (collect) collectGarbage();
  const { rss, heapUsed, external } = process.memoryUsage();
  process.send({ stallMs, residentMib: rss / MIB, youngMib: youngBytes() / MIB, heapMib: (heapUsed + external) / MIB });
  delay.reset();
});
// The program ends when its own work does.
process.channel.unref();

/** What V8 holds in memory for young objects, full or empty: it breathes with the work, up to 32 MiB. */
function youngBytes() {
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  return young.physical_space_size;
}

/** Made once: a context for each would be the growth that is looked for. */
let gc;

function collectGarbage() {
  if (gc === undefined) {
    setFlagsFromString('--expose-gc');
    gc = runInNewContext('gc');
  }
  gc();
}
