// What the kernel says about a process. Linux only, like everything here that reads /proc.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';

/** Memory of a process and all its descendants, MiB: pages shared with others count in part (PSS), so that the sum is true. */
export function treeMemory(pid) {
  return treeOf(pid).reduce(
    (sum, each) => sum + unlessGone(() => field(`/proc/${each}/smaps_rollup`, 'Pss') / 1024),
    0,
  );
}

/** Resident memory of one process, MiB. */
export function residentMemory(pid) {
  return field(`/proc/${pid}/status`, 'VmRSS') / 1024;
}

/** The peak since {@link forgetPeak}, MiB. */
export function peakMemory(pid) {
  return field(`/proc/${pid}/status`, 'VmHWM') / 1024;
}

/** The peak of resident memory is counted from now on. */
export function forgetPeak(pid) {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** Processor time of a process and its living descendants so far, seconds, all threads. Steps of 10 ms. */
export function treeProcessorTime(pid) {
  return treeOf(pid).reduce((sum, each) => sum + unlessGone(() => processorTime(each)), 0);
}

function processorTime(pid) {
  const [, , , , , , , , , , , user, system] = statOf(pid);
  return (Number(user) + Number(system)) / 100;
}

export function treeOf(pid) {
  const children = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const parent = Number(statOf(name)[1]);
      children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
    } catch {
      // It ended while we looked.
    }
  }
  const tree = [pid];
  for (const each of tree) tree.push(...(children.get(each) ?? []));
  return tree;
}

/** A process may end while we look at it; one that has ended but is not yet collected has no memory to tell of. */
function unlessGone(read) {
  try {
    return read();
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ESRCH') return 0;
    throw error;
  }
}

/** The fields after the name, which may itself hold spaces: state, parent, … */
function statOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function field(file, name) {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync(file, 'utf8'))?.[1] ?? NaN);
}
