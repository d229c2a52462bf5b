// Loaded into a measured process before its own code: answers what only the process itself can see.
const { monitorEventLoopDelay } = require('node:perf_hooks');
const { setFlagsFromString } = require('node:v8');
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
  process.send({ stallMs, residentMib: rss / MIB, heapMib: (heapUsed + external) / MIB });
  delay.reset();
});
// The program ends when its own work does.
process.channel.unref();

function collectGarbage() {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}
