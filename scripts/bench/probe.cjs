// Loaded into a measured process before its own code: answers "ask" with what only the process itself can see.
const { monitorEventLoopDelay, performance } = require('node:perf_hooks');

/** How closely the loop is watched, ms: a stall shows up to this much longer than it was. */
const RESOLUTION_MS = 1;

const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();
let processor = process.cpuUsage();
let since = performance.now();

process.on('message', () => {
  const { user, system } = process.cpuUsage(processor);
  process.send({ stallMs: delay.max / 1e6, processorMs: (user + system) / 1e3, wallMs: performance.now() - since });
  delay.reset();
  processor = process.cpuUsage();
  since = performance.now();
});
// The program ends when its own work does.
process.channel.unref();
