import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LocalRig } from '../support/local-rig.js';
import type { SpecAgent } from '../support/spec-agent.js';
import { counterOf } from '../support/status.js';
import { World } from '../support/world.js';
import { Random } from '../torture/random.js';
import { pause } from '../torture/scenario.js';

const KILLS = 20;
/** Answers under way at each kill. */
const BURST = 8;
/** Longest time from the first of them to the kill, milliseconds: taking in, writing and acknowledging all lie within. */
const SPREAD_MS = 120;
/** The same kills at the same places every time. */
const SEED = 20_261_201;

describe('SIGKILL while answers are written to the local chat', () => {
  const rig = new LocalRig();
  let world: World;
  let agent: SpecAgent;
  let channel: string;

  beforeAll(async () => {
    world = await World.start(rig);
    ({ agent, channel } = await world.bound());
  });
  afterAll(async () => {
    try {
      await world.farewell();
    } finally {
      await world.end();
    }
  });

  it(`${KILLS} kills: each answer is there once, none is in doubt, and each is counted once`, async () => {
    const random = new Random(SEED);
    const texts: string[] = [];
    const open = new Map<string, string>();
    for (let kill = 0; kill < KILLS; kill += 1) {
      for (let index = 0; index < BURST; index += 1) {
        const text = `answer ${kill}.${index}`;
        texts.push(text);
        open.set(`m_${kill}_${index}`, text);
      }
      // Those that were not acknowledged before the last kill go first, as an agent repeats them.
      for (const [messageId, text] of open) agent.transmit(channel, text, { messageId });
      await pause(random.next() * SPREAD_MS);
      await world.host.kill();
      await agent.closed;
      for (const id of endedIn(agent)) open.delete(id);
      agent = await world.resume(agent);
      await agent.open(channel);
      await agent.untilStatus(channel, 'connected');
    }
    for (const [messageId, text] of open) {
      const ack = await agent.say(channel, text, { messageId });
      expect(ack.payload?.['status']).toBeOneOf(['accepted', 'duplicate']);
    }
    const shown = await rig.visible();
    expect([...shown].sort()).toEqual([...texts].sort());
    expect(await counterOf(world.host, rig.cardId, channel, 'sent')).toBe(texts.length);
    expect(await counterOf(world.host, rig.cardId, channel, 'in_doubt')).toBe(0);
  }, 120_000);
});

/** Ids of the answers that this agent was told the end of; none of them may have been refused. */
function endedIn(agent: SpecAgent): string[] {
  return agent.received.entries.flatMap(({ type, payload }) => {
    if (type !== 'chat.message.ack') return [];
    expect(payload?.['status']).toBeOneOf(['accepted', 'duplicate']);
    return [String(payload?.['message_id'])];
  });
}
