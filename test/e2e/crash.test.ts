import { afterEach, describe, expect, it } from 'vitest';
import type { Config } from '../support/host-process.js';
import { eventually } from '../support/deadline.js';
import { AgentMemory, id, type SpecAgent } from '../support/spec-agent.js';
import { counterOf } from '../support/status.js';
import { TelegramNetwork } from '../support/telegram-network.js';
import { World } from '../support/world.js';
import { Random } from '../torture/random.js';
import { pause } from '../torture/scenario.js';

const FAST: Config = { delivery: { ackTimeoutMs: 1_000, retryInitialMs: 50, retryMaxMs: 200 } };
/** Rounds of the random sweep; each kills the host once. */
const SWEEPS = 24;
/** The sweep's seed: the same kills at the same places every time. */
const SEED = 20_260_115;

describe('SIGKILL at the worst moments (IM Profile v2 section 9, R26, B06, B23, B24)', () => {
  let world: World;
  let rig: TelegramNetwork;
  afterEach(async () => {
    try {
      await world.farewell();
    } finally {
      await world.end();
    }
  });

  const begin = async (config: Config = FAST): Promise<{ agent: SpecAgent; channel: string }> => {
    rig = new TelegramNetwork();
    world = await World.start(rig, config);
    return world.bound();
  };
  /** The agent is back on its channel as well. */
  const resume = async (before: SpecAgent, channel: string, memory = before.memory): Promise<SpecAgent> => {
    const next = await world.resume(before, memory);
    expect((await next.open(channel)).channel).toBe(channel);
    await next.untilStatus(channel, 'connected');
    return next;
  };

  it("killed between taking a message from the network and the agent's ack: it comes again, same id, once accepted", async () => {
    const { agent, channel } = await begin();
    agent.ack = () => ({ kind: 'silent' });
    await rig.personSays('in between');
    const first = await agent.messages.next((m) => m.text === 'in between', 'message');
    await world.host.kill();
    const next = await resume(agent, channel);
    const again = await next.messages.next((m) => m.text === 'in between', 'redelivery');
    expect(again.messageId).toBe(first.messageId);
    expect(next.memory.texts).toEqual(['in between']);
  });

  it('killed after the agent accepted but before that was read: the agent says duplicate, and it ends', async () => {
    const { agent, channel } = await begin();
    agent.ack = () => {
      // The ack is on the wire at the same instant as the kill; whichever wins, nothing is lost or doubled.
      setImmediate(() => void world.host.kill());
      return { kind: 'accept' };
    };
    await rig.personSays('photo finish');
    await agent.closed;
    const next = await resume(agent, channel);
    await rig.personSays('and then');
    await next.messages.next((m) => m.text === 'and then', 'the next');
    expect(next.memory.texts).toEqual(['photo finish', 'and then']);
  });

  it('messages written while the host is dead are all there afterwards, in order', async () => {
    const { agent, channel } = await begin();
    await world.host.kill();
    const texts = Array.from({ length: 20 }, (_, i) => `while dead ${i}`);
    for (const text of texts) await rig.personSays(text);
    const next = await resume(agent, channel);
    await next.messages.next((m) => m.text === 'while dead 19', 'the last');
    expect(next.memory.texts).toEqual(texts);
  });

  it("killed between the network's effect and the record of it: rejected as delivery_unknown, never sent again", async () => {
    const { agent, channel } = await begin();
    const messageId = id('a');
    const text = `in doubt ${messageId}`;
    const took = rig.hangAfterEffect('sendMessage');
    agent.transmit(channel, text, { messageId });
    await took;
    await world.host.kill();
    rig.release();
    const next = await resume(agent, channel);
    for (let i = 0; i < 2; i += 1) {
      const ack = await next.say(channel, text, { messageId });
      expect(ack.payload).toMatchObject({ status: 'rejected', code: 'delivery_unknown', retryable: false });
    }
    expect((await rig.visible()).filter((shown) => shown === text)).toHaveLength(1);
    expect((await next.say(channel, 'the next one is fine')).payload?.['status']).toBe('accepted');
    expect(await counterOf(world.host, 'im.telegram', channel, 'in_doubt')).toBe(1);
  });

  it('the same for a tool call: its repeat after the crash has no second effect', async () => {
    const { agent, channel } = await begin();
    const context = { session_id: id('s'), tool_call_id: id('c') };
    const text = `tool in doubt ${id('t')}`;
    const took = rig.hangAfterEffect('sendMessage');
    agent.send({
      type: 'tool.invoke',
      request_id: id('req'),
      connector_channel_id: channel,
      payload: { tool_id: rig.messageTool, arguments: { text }, context },
    });
    await took;
    await world.host.kill();
    rig.release();
    const next = await resume(agent, channel);
    const ack = await next.tool(channel, rig.messageTool, { text }, { context });
    expect(ack.error?.code).toBe('delivery_unknown');
    expect((await rig.visible()).filter((shown) => shown === text)).toHaveLength(1);
  });

  it('killed in the middle of a many-part answer: it goes on at the first part not sent', async () => {
    const { agent, channel } = await begin();
    const messageId = id('a');
    const text = Array.from({ length: 1_400 }, (_, i) => `part-word-${i}`).join(' ');
    agent.transmit(channel, text, { messageId });
    await eventually(async () => (await rig.visible()).length >= 2, 'two parts', 20_000);
    // The network asks for patience: while the host waits, no part is in doubt, and what was sent is on its disk.
    await rig.refuseNext('sendMessage', 15);
    for (let i = 0; i < 20; i += 1) await agent.settle();
    await world.host.kill();
    const shown = (await rig.visible()).length;
    const next = await resume(agent, channel);
    const ack = await next.say(channel, text, { messageId, ms: 30_000 });
    const parts = await rig.visible();
    expect(ack.payload?.['status']).toBe('accepted');
    expect(parts.length).toBeGreaterThan(shown);
    expect(parts.join('')).toBe(text);
  });

  it('killed while an answer streams: the final is one visible copy', async () => {
    const { agent, channel } = await begin();
    const messageId = id('a');
    const tag = id('t');
    agent.delta(channel, messageId, 1, `${tag} begins`);
    await eventually(async () => rig.everShown().some((text) => text.startsWith(tag)), 'streaming to show');
    await world.host.kill();
    const next = await resume(agent, channel);
    const ack = await next.say(channel, `${tag} begins and ends`, { messageId });
    const copies = (await rig.visible()).filter((text) => text.startsWith(tag));
    if (ack.payload?.['status'] === 'accepted') expect(copies).toEqual([`${tag} begins and ends`]);
    else {
      expect(ack.payload).toMatchObject({ status: 'rejected', code: 'delivery_unknown' });
      expect(copies).toHaveLength(1);
    }
  });

  it('killed between the effect and the record of the file that a streamed text became: in doubt, and there once', async () => {
    const { agent, channel } = await begin();
    // Where drafts are not to be had the preview is a message of its own, which makes way for the file.
    rig.withoutDrafts();
    const messageId = id('a');
    const text = `with a file ${messageId}`;
    agent.delta(channel, messageId, 1, text);
    await eventually(async () => (await rig.visible()).includes(text), 'the preview');
    const upload = await agent.files.upload(channel, {
      filename: 'a.pdf',
      content: 'pdf',
      contentType: 'application/pdf',
    });
    const files = [{ type: upload['file_type'], file_ref: upload['file_ref'] }];
    const took = rig.hangAfterEffect('sendDocument');
    agent.transmit(channel, text, { messageId, files });
    await took;
    await world.host.kill();
    rig.release();
    const next = await resume(agent, channel);
    const ack = await next.say(channel, text, { messageId, files });
    expect(ack.payload).toMatchObject({ status: 'rejected', code: 'delivery_unknown', retryable: false });
    expect(rig.filesOfBot()).toHaveLength(1);
    expect(await rig.visible()).toEqual([text]);
  });

  it('the agent crashes while its answer is on the way: its repeat is a duplicate', async () => {
    const { agent, channel } = await begin();
    const messageId = id('a');
    const text = `agent crashed ${messageId}`;
    const took = rig.hangAfterEffect('sendMessage');
    agent.transmit(channel, text, { messageId });
    await took;
    agent.crash();
    await agent.closed;
    const next = await world.agent({ connectorId: agent.connectorId });
    await next.open(channel);
    rig.release();
    const ack = await next.say(channel, text, { messageId, ms: 30_000 });
    expect(ack.payload?.['status']).toBeOneOf(['accepted', 'duplicate', 'rejected']);
    if (ack.payload?.['status'] === 'rejected') expect(ack.payload['code']).toBe('delivery_unknown');
    expect((await rig.visible()).filter((shown) => shown === text)).toHaveLength(1);
  });

  it('the agent crashes again and again before it acks: the message outlives it', async () => {
    const { agent, channel } = await begin();
    let current = agent;
    current.ack = () => ({ kind: 'disconnect' });
    await rig.personSays('patience');
    for (let i = 0; i < 5; i += 1) {
      await current.closed;
      const next = await world.agent({
        connectorId: agent.connectorId,
        memory: agent.memory,
        ack: () => ({ kind: i < 4 ? 'disconnect' : 'accept' }),
      });
      await next.open(channel).catch(() => undefined);
      current = next;
    }
    await current.messages.next((m) => m.text === 'patience', 'message');
    expect(agent.memory.texts).toEqual(['patience']);
  });

  it('refused for good before the crash stays refused after it (B24)', async () => {
    const { agent, channel } = await begin();
    agent.ack = () => ({ kind: 'reject', retryable: false, code: 'permission_denied' });
    await rig.personSays('refused');
    await agent.messages.next((m) => m.text === 'refused', 'message');
    await eventually(async () => (await counterOf(world.host, 'im.telegram', channel, 'rejected')) === 1, 'counted');
    await world.host.kill();
    const next = await resume(agent, channel);
    await rig.personSays('next');
    await next.messages.next((m) => m.text === 'next', 'the next');
    expect(next.messages.entries.map((m) => m.text)).toEqual(['next']);
  });

  it(`${SWEEPS} kills at random points, numbered messages both ways: none lost, none doubled`, async () => {
    const { agent: first, channel } = await begin();
    const random = new Random(SEED);
    const memory = new AgentMemory();
    let agent = await world.agent({ connectorId: first.connectorId, memory });
    await agent.open(channel);
    const said: string[] = [];
    /** Outcome of each answer: every one must end accepted, duplicate or in doubt. */
    const answered = new Map<string, string>();
    const open = new Map<string, string>();
    for (let round = 0; round < SWEEPS; round += 1) {
      for (let i = 0; i < 2; i += 1) {
        const text = `in ${said.length}`;
        said.push(text);
        await rig.personSays(text);
      }
      const text = `out ${round}`;
      open.set(text, `m_${round}`);
      for (const [waiting, messageId] of open) agent.transmit(channel, waiting, { messageId });
      await pause(random.next() * 120);
      collect(agent, answered, open);
      await world.host.kill();
      await agent.closed;
      collect(agent, answered, open);
      agent = await world.resume(agent);
      await agent.open(channel);
    }
    await agent.untilStatus(channel, 'connected');
    for (const [waiting, messageId] of [...open]) {
      const ack = await agent.say(channel, waiting, { messageId, ms: 60_000 });
      answered.set(
        waiting,
        String(ack.payload?.['status'] === 'rejected' ? ack.payload['code'] : ack.payload?.['status']),
      );
    }
    await eventually(() => memory.texts.length >= said.length, 'every inbound message', 30_000);
    expect(memory.texts).toEqual(said);

    const shown = await rig.visible();
    const counts = Array.from({ length: SWEEPS }, (_, round) => shown.filter((text) => text === `out ${round}`).length);
    const lost = counts.flatMap((count, round) =>
      count === 0 && answered.get(`out ${round}`) !== 'delivery_unknown' ? [round] : [],
    );
    expect(counts.filter((count) => count > 1)).toEqual([]);
    expect(lost).toEqual([]);
    for (const outcome of answered.values()) expect(outcome).toBeOneOf(['accepted', 'duplicate', 'delivery_unknown']);
  }, 180_000);
});

/** Notes which answers ended, from the acks that came before a crash. */
function collect(agent: SpecAgent, answered: Map<string, string>, open: Map<string, string>): void {
  const byId = new Map([...open].map(([text, messageId]) => [messageId, text]));
  for (const packet of agent.received.entries) {
    if (packet.type !== 'chat.message.ack') continue;
    const text = byId.get(String(packet.payload?.['message_id']));
    if (text === undefined) continue;
    const { status, code, retryable } = packet.payload ?? {};
    if (status === 'rejected' && retryable === true) continue;
    answered.set(text, String(status === 'rejected' ? code : status));
    open.delete(text);
  }
}
