// What the figures were measured on.
import { execFileSync } from 'node:child_process';
import { cpus, loadavg, release, totalmem } from 'node:os';

export function machine() {
  return {
    processors: cpus().length,
    model: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGib: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${release()}`,
    node: process.version,
    revision: revision(),
    loadBefore: loadavg()[0],
  };
}

export function shapeOf({ processors, model, memoryGib, system, node, revision: at, loadBefore }) {
  const load = `load ${loadBefore.toFixed(2)} before the run`;
  return `${processors} × ${model}, ${memoryGib} GiB, ${system}, Node ${node}, build ${at}, ${load}`;
}

function revision() {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .trim();
  } catch {
    return 'unknown';
  }
}
