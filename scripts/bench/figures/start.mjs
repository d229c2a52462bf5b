import { startHost } from '../host.mjs';
import { residentMemory, treeOf } from '../process-facts.mjs';
import { bare, startProgram } from '../programs.mjs';
import { alternate, pause, pluck } from '../rounds.mjs';
import { compared } from '../rows.mjs';

/** After this long nothing of the start is left to settle, ms. */
const SETTLE_MS = 5_000;

export const start = {
  name: 'start',
  async run({ folder, short }) {
    const once = async (started) => {
      const program = await started;
      await program.stop();
      return program.readyMs;
    };
    const sides = {
      baseline: () => once(startProgram([bare('idle')], { probed: false })),
      product: () => once(startHost(folder, { probed: false })),
    };
    // The first start makes the data directory and the disk's caches.
    await sides.baseline();
    await sides.product();
    const { baseline, product } = await alternate(short ? 5 : 15, sides);
    return [compared({ name: 'serve → ready', unit: 'ms', product, baseline, target: { atMost: 2 } })];
  },
};

export const idleMemory = {
  name: 'idle-memory',
  async run({ folder, short }) {
    const once = async (started) => {
      const program = await started;
      await pause(SETTLE_MS);
      // Resident, helpers included: shares of what other programs have loaded as well would change with the machine's day.
      const mib = treeOf(program.pid).reduce((sum, pid) => sum + residentMemory(pid), 0);
      await program.stop();
      return { mib };
    };
    const { baseline, product } = await alternate(short ? 2 : 5, {
      baseline: () => once(startProgram([bare('idle')], { probed: false })),
      product: () => once(startHost(folder, { probed: false })),
    });
    return [
      compared({
        name: 'idle resident memory, five networks, none bound',
        unit: 'MiB',
        product: pluck(product, 'mib'),
        baseline: pluck(baseline, 'mib'),
        target: { atMost: 1.5 },
      }),
    ];
  },
};
