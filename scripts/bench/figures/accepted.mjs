import { join } from 'node:path';
import { Agent, finalPacket } from '../agent.mjs';
import { startHost } from '../host.mjs';
import { throughput } from '../pipeline.mjs';
import { bare, startProgram } from '../programs.mjs';
import { alternate } from '../rounds.mjs';
import { compared } from '../rows.mjs';
import { frameOf, openWebSocket } from '../web-socket.mjs';

const CHANNELS = 50;
/** Finals under way at once: one on each channel, as agents send them. */
const WINDOW = CHANNELS;

export const accepted = {
  name: 'accepted',
  async run({ folder, short }) {
    const count = short ? 2_000 : 10_000;
    const plain = await startProgram([bare('insert'), join(folder, 'plain.db')]);
    const host = await startHost(folder);
    try {
      const socket = await openWebSocket(`ws://127.0.0.1:${plain.ready.port}/`);
      const agent = await Agent.connect(host.url, 'local');
      const channels = await boundChannels(agent, CHANNELS);
      const measure = (to) => throughput(to, finals(channels, count), WINDOW);
      await measure(socket);
      await measure(agent.socket);
      const { baseline, product } = await alternate(short ? 3 : 7, {
        baseline: () => measure(socket),
        product: () => measure(agent.socket),
      });
      return [
        compared({
          name: 'final chat.message → accepted, 50 channels',
          unit: '/s',
          product,
          baseline,
          target: { atLeast: 0.8 },
        }),
      ];
    } finally {
      await host.stop();
      await plain.stop();
    }
  },
};

export async function boundChannels(agent, count) {
  const channels = [];
  for (let index = 0; index < count; index += 1) channels.push(await agent.bindLocal(`person ${index}`));
  return channels;
}

/** Finals for the channels in turn, so that a window of as many has one on each. */
export function finals(channels, count) {
  return Array.from({ length: count }, (_, index) =>
    frameOf(finalPacket(channels[index % channels.length], `answer ${index} to what the person asked`)),
  );
}
