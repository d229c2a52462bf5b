import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/deadline.js';
import type { SpecAgent } from '../support/spec-agent.js';
import { TelegramNetwork } from '../support/telegram-network.js';
import { World } from '../support/world.js';
import { Random } from '../torture/random.js';
import { pause } from '../torture/scenario.js';

const CHATS = 8;
const FIRST_CHAT = 43_000;
const KILLS = 8;
/** Longest time from the messages before a kill to the kill, milliseconds. */
const SPREAD_MS = 60;
/** The same kills at the same places every time. */
const SEED = 20_261_201;

describe('SIGKILL under several chats of one Telegram bot, which is polled for all of them', () => {
  const rig = new TelegramNetwork();
  const chats = Array.from({ length: CHATS }, (_, index) => FIRST_CHAT + index);
  const channels: string[] = [];
  let world: World;
  let agent: SpecAgent;

  beforeAll(async () => {
    world = await World.start(rig, { delivery: { ackTimeoutMs: 1_000, retryInitialMs: 50, retryMaxMs: 200 } });
    agent = await world.agent();
    for (const chat of chats) {
      rig.simulator.start(chat, 'Kim');
      const { channel } = await agent.open();
      await agent.bind(rig.flowId, { bot_token: rig.token, chat_id: String(chat) }, channel);
      channels.push(channel);
    }
  });
  afterAll(async () => {
    try {
      await world.farewell();
    } finally {
      await world.end();
    }
  });

  it(`${KILLS} kills: what anybody wrote before, during and after is there once`, async () => {
    const random = new Random(SEED);
    const said: string[] = [];
    const say = (when: string): void => {
      for (const chat of chats) {
        const text = `${when} in ${chat}`;
        said.push(text);
        rig.simulator.say(chat, text, { firstName: 'Kim' });
      }
    };
    for (let kill = 0; kill < KILLS; kill += 1) {
      say(`before kill ${kill}`);
      await pause(random.next() * SPREAD_MS);
      await world.host.kill();
      await agent.closed;
      // All of it comes with the first poll, for which the first account at work is enough.
      say(`while dead ${kill}`);
      agent = await world.resume(agent);
      for (const channel of channels) await agent.open(channel);
    }
    await eventually(() => agent.memory.texts.length >= said.length, 'every message', 20_000);
    await agent.settle();
    expect([...agent.memory.texts].sort()).toEqual([...said].sort());
  }, 120_000);
});
