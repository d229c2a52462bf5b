import { CutProxy } from '../support/cut-proxy.js';
import type { Line } from './line.js';
import { Findings, pause, type Outcome, type Scenario } from './scenario.js';
import { ThreeNetworks } from './three-networks.js';

const CHAOS_MS = 240_000;
const CHAOS_SHORT_MS = 8_000;
/** Between two disturbances of one network; milliseconds. */
const DISTURB_EVERY_MS = 300;
/** Longest time between two cuts of every wire between agents and host; milliseconds. */
const CUT_WITHIN_MS = 2_500;
/** Bytes that pass in one piece while a wire tears packets apart. */
const TORN_BYTES = 64;
const TALK_EVERY_MS = 250;

/** Every call of every network goes wrong now and then, every wire to an agent is cut, and nobody is killed. */
export const chaos: Scenario = {
  name: 'chaos',
  promise: 'nothing lost, nothing doubled, whatever networks and wires do',
  async run({ random, short, progress }): Promise<Outcome> {
    const findings = new Findings();
    let cuts = 0;
    let disturbances = 0;
    let proxy: CutProxy | undefined;
    const networks = new ThreeNetworks(random.fork(), { flaky: true, port: () => proxy?.port ?? 0 });
    try {
      proxy = await CutProxy.start(() => networks.host.port);
      await networks.start({ server: { allowedHosts: [`127.0.0.1:${proxy.port}`] } });
      const end = performance.now() + (short ? CHAOS_SHORT_MS : CHAOS_MS);
      const isOver = (): boolean => performance.now() >= end;
      const talks = networks.lines.map((line) => talk(line, networks, isOver));
      let cutAt = performance.now();
      while (!isOver()) {
        for (const { network } of networks.lines) {
          network.disturb(random);
          disturbances += 1;
        }
        if (performance.now() >= cutAt) {
          proxy.cut();
          proxy.slice = random.chance(0.3) ? TORN_BYTES : Number.POSITIVE_INFINITY;
          cuts += 1;
          cutAt = performance.now() + random.next() * CUT_WITHIN_MS;
        }
        if (cuts % 50 === 49) progress(`${cuts} cuts`);
        await pause(DISTURB_EVERY_MS);
      }
      await Promise.all(talks);
      proxy.slice = Number.POSITIVE_INFINITY;
      await networks.settle();
      const figures = await networks.judge(findings);
      return {
        happened: `${disturbances} calls of three networks made to fail, ${cuts} times every agent's wire cut`,
        figures,
        broken: findings.broken,
      };
    } finally {
      await networks.end();
      await proxy?.stop();
    }
  },
};

/** An agent that always comes back, and a person who goes on writing. */
async function talk(line: Line, { host }: ThreeNetworks, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    if (line.agent?.isOpen !== true) {
      line.leave();
      await line.resume(host);
    }
    await line.says();
    line.note();
    await line.goOn();
    await pause(TALK_EVERY_MS);
  }
}
