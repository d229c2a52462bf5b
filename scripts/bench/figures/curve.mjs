import { Agent } from '../agent.mjs';
import { startHost } from '../host.mjs';
import { latencies, throughput } from '../pipeline.mjs';
import { treeMemory } from '../process-facts.mjs';
import { pause } from '../rounds.mjs';
import { measured } from '../rows.mjs';
import { median, percentile } from '../statistics.mjs';
import { finals } from './accepted.mjs';

const STEPS = [1, 10, 100, 1_000, 2_000];
/** Finals under way at once: one per channel, up to what one socket may have running. */
const MAX_WINDOW = 500;
const SETTLE_MS = 3_000;

/** How far one process goes: throughput, latency and memory as channels grow. */
export const curve = {
  name: 'curve',
  long: true,
  async run({ folder, short }) {
    const host = await startHost(folder);
    try {
      const agent = await Agent.connect(host.url, 'local');
      const channels = [];
      const rows = [];
      for (const count of short ? STEPS.slice(0, 3) : STEPS) {
        while (channels.length < count) channels.push(await agent.bindLocal(`person ${channels.length}`));
        await pause(SETTLE_MS);
        rows.push(...(await atStep(host, agent, channels, short)));
        agent.listen();
      }
      return rows;
    } finally {
      await host.stop();
    }
  },
};

async function atStep(host, agent, channels, short) {
  const many = Math.max(short ? 500 : 3_000, channels.length * 2);
  const rates = [];
  for (let round = 0; round < 3; round += 1) {
    rates.push(await throughput(agent.socket, finals(channels, many), Math.min(channels.length, MAX_WINDOW)));
  }
  const taken = await latencies(agent.socket, finals(channels, short ? 100 : 1_000));
  const row = (name, unit, product) =>
    measured({ name: `${channels.length.toLocaleString('en-US')} channels: ${name}`, unit, product });
  return [
    row('finals accepted', '/s', rates),
    row('one final → accepted, p50', 'ms', [median(taken)]),
    row('one final → accepted, p99', 'ms', [percentile(taken, 0.99)]),
    row('memory', 'MiB', [treeMemory(host.pid)]),
  ];
}
