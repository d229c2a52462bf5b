import { join } from 'node:path';
import { packet } from '../agent.mjs';
import { connectControl } from '../control.mjs';
import { comeBack, localChat, sayAll } from '../held.mjs';
import { startHost } from '../host.mjs';
import { latencies } from '../pipeline.mjs';
import { bare, startProgram } from '../programs.mjs';
import { alternate, pause, pluck } from '../rounds.mjs';
import { compared, measured } from '../rows.mjs';
import { frameOf, openWebSocket } from '../web-socket.mjs';

const AWAY_MESSAGES = 20;
const HELD = 1_000;

/** 20 messages while the agent is away. */
export const away = {
  name: 'away',
  async run({ folder, short }) {
    const awayMs = short ? 3_000 : 60_000;
    const host = await startHost(folder);
    try {
      const chat = await localChat(host, 'away');
      const control = await connectControl(host.dataDir);
      await chat.agent.close();
      const texts = Array.from({ length: AWAY_MESSAGES }, (_, index) => `while you were away ${index}`);
      for (const text of texts) {
        await control.say(chat.accountId, text);
        await pause(awayMs / AWAY_MESSAGES);
      }
      const { taken, agent } = await comeBack(host, chat, texts);
      await agent.close();
      control.close();
      const name = `${AWAY_MESSAGES} messages of ${awayMs / 1000} s away, all in order, the last after`;
      return [measured({ name, unit: 'ms', product: [taken], target: { atMost: 1_000 } })];
    } finally {
      await host.stop();
    }
  },
};

/** 1,000 messages held and drained. */
export const drain = {
  name: 'drain',
  async run({ folder, short }) {
    const rounds = short ? 2 : 7;
    const plain = await startProgram([bare('delete'), join(folder, 'plain.db'), String((rounds + 1) * HELD)]);
    const host = await startHost(folder);
    try {
      const socket = await openWebSocket(`ws://127.0.0.1:${plain.ready.port}/`);
      const chat = await localChat(host, 'drain');
      const control = await connectControl(host.dataDir);
      const sides = {
        async baseline() {
          const frames = Array.from({ length: HELD }, () => frameOf(packet('chat.message.ack')));
          const began = performance.now();
          await latencies(socket, frames);
          return { taken: performance.now() - began };
        },
        async product(round = 'warm') {
          await chat.agent.close();
          const texts = Array.from({ length: HELD }, (_, index) => `held ${round}/${index}`);
          await sayAll(control, chat.accountId, texts);
          await host.ask();
          const { taken, agent } = await comeBack(host, chat, texts);
          chat.agent = agent;
          const { stallMs } = await host.ask();
          return { taken, stallMs };
        },
      };
      await sides.baseline();
      await sides.product();
      const { baseline, product } = await alternate(rounds, sides);
      control.close();
      return [
        compared({
          name: '1,000 held messages drained in order',
          unit: 'ms',
          product: pluck(product, 'taken'),
          baseline: pluck(baseline, 'taken'),
          target: { atMost: 1.2 },
        }),
        measured({
          name: 'longest stall of the event loop, drain',
          unit: 'ms',
          product: [Math.max(...pluck(product, 'stallMs'))],
          target: { atMost: 50 },
        }),
      ];
    } finally {
      await host.stop();
      await plain.stop();
    }
  },
};
