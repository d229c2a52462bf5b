import { openDesktop } from '../desktop.mjs';
import { treeMemory } from '../process-facts.mjs';
import { alternate, pause, pluck } from '../rounds.mjs';
import { compared } from '../rows.mjs';
import { median } from '../statistics.mjs';

/** After this long nothing of the start is left to settle, ms. */
const SETTLE_MS = 8_000;

export const desktop = {
  name: 'desktop',
  async run({ folder, short }) {
    const apps = await openDesktop(folder);
    if (apps === undefined) throw new Error('there is no Electron to measure with');
    const once = async (starting) => {
      const app = await starting;
      await pause(short ? 2_000 : SETTLE_MS);
      const mib = treeMemory(app.pid);
      const opened = [];
      for (let times = 0; times < (short ? 1 : 3); times += 1) {
        opened.push(await app.openWindow());
        await pause(1_000);
      }
      await app.stop();
      return { readyMs: app.readyMs, mib, windowMs: median(opened) };
    };
    const sides = { baseline: () => once(apps.baseline()), product: () => once(apps.product()) };
    try {
      // The first start makes its folders and the disk's caches.
      await sides.baseline();
      await sides.product();
      const { baseline, product } = await alternate(short ? 2 : 7, sides);
      const row = (name, unit, key, atMost) =>
        compared({ name, unit, product: pluck(product, key), baseline: pluck(baseline, key), target: { atMost } });
      return [
        row('desktop: start → tray and /health 200', 'ms', 'readyMs', 1.5),
        row('desktop: window from tray', 'ms', 'windowMs', 1.5),
        row('desktop: memory of the whole tree, tray only', 'MiB', 'mib', 1.4),
      ];
    } finally {
      await apps.close();
    }
  },
};
