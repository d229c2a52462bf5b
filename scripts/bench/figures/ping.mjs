import { Agent, packet } from '../agent.mjs';
import { startHost } from '../host.mjs';
import { throughput } from '../pipeline.mjs';
import { bare, startProgram } from '../programs.mjs';
import { alternate } from '../rounds.mjs';
import { compared } from '../rows.mjs';
import { frameOf, openWebSocket } from '../web-socket.mjs';

/** Pings under way at once. */
const WINDOW = 256;

export const ping = {
  name: 'ping',
  async run({ folder, short }) {
    const count = short ? 10_000 : 50_000;
    const echo = await startProgram([bare('echo')]);
    const host = await startHost(folder);
    try {
      const plain = await openWebSocket(`ws://127.0.0.1:${echo.ready.port}/`);
      const agent = await Agent.connect(host.url, 'local');
      const measure = (socket) => {
        const frames = Array.from({ length: count }, () => frameOf(packet('ping')));
        return throughput(socket, frames, WINDOW);
      };
      await measure(plain);
      await measure(agent.socket);
      const { baseline, product } = await alternate(short ? 3 : 9, {
        baseline: () => measure(plain),
        product: () => measure(agent.socket),
      });
      return [compared({ name: 'ping → pong', unit: '/s', product, baseline, target: { atLeast: 0.7 } })];
    } finally {
      await host.stop();
      await echo.stop();
    }
  },
};
