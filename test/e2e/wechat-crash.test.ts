import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IlinkSimulator } from '../simulators/ilink/index.js';
import { eventually } from '../support/deadline.js';
import { AgentMemory, type SpecAgent } from '../support/spec-agent.js';
import { WechatNetwork } from '../support/wechat-network.js';
import { World } from '../support/world.js';
import { pause } from '../torture/scenario.js';

/** Kills per mode of the server, spread over the time around a poll. */
const KILLS = 20;
/** Kills after a person wrote to whom something was held, spread over the time in which it goes out: two replies, spaced. */
const HELD_KILLS = 6;
const HELD_SPREAD_MS = 2_400;
/** Longest time from a message to the kill, milliseconds: polling, storing and handing over all lie within. */
const SPREAD_MS = 120;

describe('SIGKILL around WeChat polls (B06): every message arrives exactly once', () => {
  const rig = new WechatNetwork();
  let world: World;
  let ilink: IlinkSimulator;
  let agent: SpecAgent;
  let channel: string;
  const memory = new AgentMemory();

  beforeAll(async () => {
    world = await World.start(rig, { delivery: { ackTimeoutMs: 1_000, retryInitialMs: 50, retryMaxMs: 200 } });
    ilink = rig.simulator;
    ({ agent, channel } = await world.bound({ memory }));
  });
  afterAll(async () => {
    try {
      await world.farewell();
    } finally {
      await world.end();
    }
  });

  const resume = async (): Promise<void> => {
    agent = await world.resume(agent);
    await agent.open(channel);
  };

  it(`${KILLS} kills with a server that gives an old cursor's batch again`, async () => {
    const said: string[] = ['hi'];
    for (let round = 0; round < KILLS; round += 1) {
      for (const part of ['a', 'b']) {
        const text = `${round}${part}`;
        said.push(text);
        await rig.personSays(text);
      }
      await pause((SPREAD_MS * round) / KILLS);
      await world.host.kill();
      await resume();
    }
    await eventually(() => memory.texts.length >= said.length, 'every message', 30_000);
    await agent.settle();
    expect(memory.texts).toEqual(said);
  });

  it('killed once the batch is stored, a server that gives it only once has lost us nothing', async () => {
    ilink.inbox.replays = false;
    const before = memory.texts.length;
    for (let round = 0; round < 5; round += 1) {
      agent.ack = () => ({ kind: 'silent' });
      await rig.personSays(`once ${round}`);
      // Handed over means stored before: the agent hears of it only after that.
      await agent.messages.next((message) => message.text === `once ${round}`, 'the message');
      await world.host.kill();
      await resume();
      await eventually(() => memory.texts.includes(`once ${round}`), 'the message after the crash');
    }
    expect(memory.texts.slice(before)).toEqual(['once 0', 'once 1', 'once 2', 'once 3', 'once 4']);
  });

  it('keeps the right to reply and its count over a kill', async () => {
    await rig.personSays('write to me');
    await agent.messages.next((message) => message.text === 'write to me', 'the message');
    await agent.say(channel, 'one');
    await world.host.kill();
    await resume();
    await agent.untilStatus(channel, 'connected');
    const window = JSON.stringify(await world.host.status());
    expect(window).toContain('"remaining":9');
    expect((await agent.say(channel, 'two')).payload).toMatchObject({ status: 'accepted' });
  });
});

describe('SIGKILL between a held answer and the message it waits for: the person has it exactly once', () => {
  const rig = new WechatNetwork();
  let world: World;
  let ilink: IlinkSimulator;
  let agent: SpecAgent;
  let channel: string;
  const memory = new AgentMemory();

  beforeAll(async () => {
    world = await World.start(rig, { delivery: { ackTimeoutMs: 1_000, retryInitialMs: 50, retryMaxMs: 200 } });
    ilink = rig.simulator;
    ({ agent, channel } = await world.bound({ memory }));
  });
  afterAll(async () => {
    try {
      await world.farewell();
    } finally {
      await world.end();
    }
  });

  const resume = async (): Promise<void> => {
    agent = await world.resume(agent);
    await agent.open(channel);
    await agent.untilStatus(channel, 'connected');
  };

  const shownOf = async (text: string) => (await rig.visible()).filter((shown) => shown === text).length;

  it('killed while it waits, and killed again at any moment after the person wrote', async () => {
    let clean = 0;
    for (let round = 0; round < HELD_KILLS; round += 1) {
      ilink.phone.left = 0;
      await agent.say(channel, `closes ${round}`);
      const [messageId, answer, notice] = [`held-${round}`, `answer ${round}`, `notice ${round}`];
      const context = { session_id: 's', tool_call_id: `call-${round}` };
      expect((await agent.say(channel, answer, { messageId })).payload).toMatchObject({ retryable: true });
      const held = await agent.tool(channel, rig.messageTool, { text: notice }, { context });
      expect(held.payload).toMatchObject({ result: { status: 'held' } });
      await world.host.kill();
      await resume();
      await rig.personSays(`go on ${round}`);
      await pause((HELD_SPREAD_MS * round) / HELD_KILLS);
      await world.host.kill();
      await resume();
      const acks = await eventually(
        async () => {
          const again = [
            await agent.say(channel, answer, { messageId }),
            await agent.tool(channel, rig.messageTool, { text: notice }, { context }),
          ];
          return again.every((ack) => !/"held"|"retryable":true|unreachable|unavailable/.test(JSON.stringify(ack)))
            ? again
            : undefined;
        },
        'both to have ended',
        30_000,
      );
      // What was at the network at the very moment of the kill may be there or not, is told as such, and never sent again.
      for (const [n, text] of [answer, notice].entries()) {
        const isDoubtful = JSON.stringify(acks[n]).includes('delivery_unknown');
        expect([text, await shownOf(text)]).toEqual([text, isDoubtful ? expect.any(Number) : 1]);
        expect(await shownOf(text)).toBeLessThanOrEqual(1);
        if (!isDoubtful) clean += 1;
      }
    }
    expect(clean).toBeGreaterThan(HELD_KILLS);
  });
});
