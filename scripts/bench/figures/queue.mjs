import { Agent, ackFrame } from '../agent.mjs';
import { connectControl } from '../control.mjs';
import { localChat, sayAll } from '../held.mjs';
import { startHost } from '../host.mjs';
import { alternate } from '../rounds.mjs';
import { compared } from '../rows.mjs';

const SHALLOW = 10;
const DEEP = 10_000;
/** The head waits for its acknowledgment as long as a round takes. */
const DELIVERY = { capacityPerChannel: 2 * DEEP, ackTimeoutMs: 3_600_000 };

export const queue = {
  name: 'queue',
  async run({ folder, short }) {
    const steps = short ? 50 : 300;
    const host = await startHost(folder, { config: { delivery: DELIVERY } });
    try {
      const control = await connectControl(host.dataDir);
      const shallow = await filled(host, control, 'shallow', SHALLOW);
      const deep = await filled(host, control, 'deep', DEEP);
      const side = (which) => () => cost(control, which, steps);
      await side(shallow)();
      await side(deep)();
      const { baseline, product } = await alternate(short ? 3 : 9, { baseline: side(shallow), product: side(deep) });
      control.close();
      const name = `one pending message, ${DEEP} deep beside ${SHALLOW} deep`;
      return [compared({ name, unit: 'ms', product, baseline, target: { atMost: 1.2 } })];
    } finally {
      await host.stop();
    }
  },
};

/** A chat with that many messages waiting, the first of them at the agent. */
async function filled(host, control, name, depth) {
  const { agent: first, ...chat } = await localChat(host, name);
  await first.close();
  await sayAll(
    control,
    chat.accountId,
    Array.from({ length: depth }, (_, index) => `${name} ${index}`),
  );
  const agent = await Agent.connect(host.url, 'local', { connectorId: chat.connectorId });
  const head = new Promise(
    (resolve) => (agent.onPacket = (packet) => packet.type === 'chat.message' && resolve(packet)),
  );
  await agent.open(chat.channel);
  return { ...chat, agent, head: await head };
}

/** One message comes, the oldest goes, the next is offered: the queue keeps its depth. @returns ms each */
async function cost(control, chat, steps) {
  const began = performance.now();
  for (let step = 0; step < steps; step += 1) {
    const next = new Promise((resolve) => {
      chat.agent.onPacket = (packet) => packet.type === 'chat.message' && resolve(packet);
    });
    const written = control.say(chat.accountId, `one more ${step}`);
    chat.agent.socket.write(ackFrame(chat.head));
    [chat.head] = await Promise.all([next, written]);
  }
  return (performance.now() - began) / steps;
}
