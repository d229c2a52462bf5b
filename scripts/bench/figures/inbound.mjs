import { join } from 'node:path';
import { Agent, ackFrame, packet } from '../agent.mjs';
import { connectControl } from '../control.mjs';
import { startHost } from '../host.mjs';
import { latencies } from '../pipeline.mjs';
import { bare, startProgram } from '../programs.mjs';
import { alternate } from '../rounds.mjs';
import { compared } from '../rows.mjs';
import { percentile } from '../statistics.mjs';
import { frameOf, openWebSocket } from '../web-socket.mjs';

export const inbound = {
  name: 'inbound',
  async run({ folder, short }) {
    const count = short ? 200 : 1_000;
    const plain = await startProgram([bare('insert'), join(folder, 'plain.db')]);
    const host = await startHost(folder);
    try {
      const socket = await openWebSocket(`ws://127.0.0.1:${plain.ready.port}/`);
      const agent = await Agent.connect(host.url, 'local');
      const channel = await agent.bindLocal('inbound');
      const accountId = (await Agent.accountsOf(host.url, 'local')).get(channel);
      const control = await connectControl(host.dataDir);
      const sides = {
        baseline: () => latencies(socket, bareMessages(count)),
        product: () => messages(agent, control, accountId, count),
      };
      await sides.baseline();
      await sides.product();
      const { baseline, product } = await alternate(short ? 3 : 7, sides);
      control.close();
      return [row('p50', 0.5, 1.5, product, baseline), row('p99', 0.99, 3, product, baseline)];
    } finally {
      await host.stop();
      await plain.stop();
    }
  },
};

function row(name, share, atMost, product, baseline) {
  return compared({
    name: `inbound /local message → agent, ${name}`,
    unit: 'ms',
    product: product.map((taken) => percentile(taken, share)),
    baseline: baseline.map((taken) => percentile(taken, share)),
    target: { atMost },
  });
}

function bareMessages(count) {
  return Array.from({ length: count }, (_, index) =>
    frameOf(packet('chat.message', { payload: { text: textOf(index) } })),
  );
}

/** A person writes, the agent has it and acknowledges it, the person writes the next. */
async function messages(agent, control, accountId, count) {
  const taken = [];
  for (let index = 0; index < count; index += 1) {
    const began = performance.now();
    const received = new Promise((resolve) => (agent.onPacket = resolve));
    const written = control.say(accountId, textOf(index));
    const message = await received;
    taken.push(performance.now() - began);
    agent.socket.write(ackFrame(message));
    await written;
  }
  return taken;
}

const textOf = (index) => `message ${index} of a person to the agent`;
