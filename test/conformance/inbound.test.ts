import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Config } from '../support/host-process.js';
import { LocalRig } from '../support/local-rig.js';
import { AgentMemory, type AckBehaviour, type SpecAgent } from '../support/spec-agent.js';
import { TelegramNetwork } from '../support/telegram-network.js';
import { World } from '../support/world.js';
import { counterOf } from '../support/status.js';
import { eventually } from '../support/deadline.js';

const RIGS = [
  ['local', () => new LocalRig()],
  ['telegram', () => new TelegramNetwork()],
] as const;

/** Times short enough to see a redelivery, long enough that a busy machine's ack arrives within them. */
const FAST: Config = { delivery: { ackTimeoutMs: 700, retryInitialMs: 100, retryMaxMs: 300 } };

describe.each(RIGS)('a person writes, over /%s (IM Profile v2 sections 5, 7, 9)', (_name, makeRig) => {
  let world: World;
  beforeAll(async () => {
    world = await World.start(makeRig(), FAST);
  });
  afterEach(async () => {
    await world.farewell();
  });
  afterAll(() => world.end());

  /** Runs `body` with a signed-in channel and signs out afterwards, so that no message of one case reaches the next. */
  const withChannel = async (body: (agent: SpecAgent, channel: string) => Promise<void>): Promise<void> => {
    const { agent, channel } = await world.bound();
    await body(agent, channel);
    const last = agent.isOpen ? agent : await world.agent();
    if (last !== agent) await last.open(channel);
    await world.signOut(last, channel);
  };

  const acks = (...behaviours: AckBehaviour[]): (() => AckBehaviour) => {
    let next = 0;
    return () => behaviours[Math.min(next++, behaviours.length - 1)] ?? { kind: 'accept' };
  };

  it('5: what the person wrote arrives byte for byte, once', () =>
    withChannel(async (agent, channel) => {
      const text = '  @{session:42} 你好 👩‍👩‍👧‍👦\n\n/clear-history "quoted" \\ <b>&amp;</b>  ';
      await world.rig.personSays(text);
      const message = await agent.messages.next((m) => m.text.includes('你好'), 'message');
      expect(message.text).toBe(text);
      expect(message.packet.connector_channel_id).toBe(channel);
      expect('request_id' in message.packet).toBe(false);
      await agent.settle();
      expect(agent.messages.entries.filter((m) => m.messageId === message.messageId)).toHaveLength(1);
    }));

  it('7.2 order: many messages come in the order they were written, one in flight', () =>
    withChannel(async (agent) => {
      let inFlight = 0;
      let most = 0;
      agent.ack = () => {
        inFlight += 1;
        most = Math.max(most, inFlight);
        setImmediate(() => (inFlight -= 1));
        return { kind: 'accept' };
      };
      const texts = Array.from({ length: 30 }, (_, i) => `number ${i}`);
      for (const text of texts) await world.rig.personSays(text);
      await agent.messages.next((m) => m.text === 'number 29', 'the last');
      expect(agent.messages.entries.map((m) => m.text)).toEqual(texts);
      expect(most).toBe(1);
    }));

  it('R26, R31: without an ack it is redelivered: same message_id and content, new packet_id', () =>
    withChannel(async (agent) => {
      agent.ack = acks({ kind: 'silent' }, { kind: 'silent' }, { kind: 'accept' });
      await world.rig.personSays('answer me');
      await eventually(() => agent.messages.entries.length >= 3, 'two redeliveries');
      const [a, b, c] = agent.messages.entries;
      expect(new Set([a?.messageId, b?.messageId, c?.messageId]).size).toBe(1);
      expect(new Set([a?.packet.packet_id, b?.packet.packet_id, c?.packet.packet_id]).size).toBe(3);
      expect(b?.packet.payload).toEqual(a?.packet.payload);
    }));

  it('R26: a late ack, naming an earlier transmission, ends it', () =>
    withChannel(async (agent) => {
      agent.ack = acks({ kind: 'silent' });
      await world.rig.personSays('late');
      await eventually(() => agent.messages.entries.length >= 2, 'a redelivery');
      const first = agent.messages.entries[0];
      if (!first) throw new Error('no message');
      agent.acknowledge(first, { status: 'accepted' });
      agent.ack = acks({ kind: 'accept' });
      await world.rig.personSays('next');
      await agent.messages.next((m) => m.text === 'next', 'the next message');
      const from = agent.messages.mark;
      await agent.settle();
      expect(agent.messages.since(from).filter((m) => m.text === 'late')).toEqual([]);
    }));

  it.each(['reply_to', 'message_id', 'channel'] as const)('7: an ack with a wrong %s ends nothing', (wrong) =>
    withChannel(async (agent) => {
      agent.ack = acks({ kind: 'wrong', wrong }, { kind: 'accept' });
      await world.rig.personSays(`wrong ${wrong}`);
      await eventually(() => agent.messages.entries.length >= 2, 'redelivery');
      expect(agent.messages.entries[1]?.messageId).toBe(agent.messages.entries[0]?.messageId);
    }),
  );

  it('7: rejected retryable is offered again and holds those behind it (R32)', () =>
    withChannel(async (agent) => {
      const busy: AckBehaviour = { kind: 'reject', retryable: true, code: 'channel_busy' };
      agent.ack = acks(busy, busy, { kind: 'accept' });
      await world.rig.personSays('head');
      await world.rig.personSays('behind');
      await agent.messages.next((m) => m.text === 'behind', 'the one behind');
      expect(agent.messages.entries.map((m) => m.text)).toEqual(['head', 'head', 'head', 'behind']);
    }));

  it('7: rejected for good ends it, is kept as a reason, and the next goes on (R32, B24)', () =>
    withChannel(async (agent, channel) => {
      const before = await counterOf(world.host, world.rig.cardId, channel, 'rejected');
      agent.ack = acks({ kind: 'reject', retryable: false, code: 'permission_denied' }, { kind: 'accept' });
      await world.rig.personSays('refused');
      await world.rig.personSays('fine');
      await agent.messages.next((m) => m.text === 'fine', 'the next');
      expect(agent.messages.entries.map((m) => m.text)).toEqual(['refused', 'fine']);
      await eventually(
        async () => (await counterOf(world.host, world.rig.cardId, channel, 'rejected')) === before + 1,
        'counted as rejected',
      );
    }));

  it('R27: rejected without retryable is temporary; an explicit false beats a temporary code', () =>
    withChannel(async (agent) => {
      agent.ack = () => ({ kind: 'silent' });
      await world.rig.personSays('half a rejection');
      const first = await agent.messages.next((m) => m.text === 'half a rejection', 'message');
      const from = agent.messages.mark;
      agent.acknowledge(first, { status: 'rejected', code: 'odd' });
      const second = await agent.messages.next((m) => m.messageId === first.messageId, 'redelivery', { from });
      const later = agent.messages.mark;
      agent.ack = acks({ kind: 'accept' });
      agent.acknowledge(second, { status: 'rejected', code: 'channel_busy', retryable: false });
      await world.rig.personSays('after');
      await agent.messages.next((m) => m.text === 'after', 'the next');
      expect(agent.messages.since(later).map((m) => m.text)).toEqual(['after']);
    }));

  it('duplicate acks, acks of an unknown status and acks of nothing are harmless', () =>
    withChannel(async (agent, channel) => {
      agent.ack = acks({ kind: 'twice' });
      await world.rig.personSays('one');
      await world.rig.personSays('two');
      const two = await agent.messages.next((m) => m.text === 'two', 'two');
      agent.acknowledge(two, { status: 'accepted' });
      agent.send({
        type: 'chat.message.ack',
        reply_to: 'pkt_none',
        connector_channel_id: channel,
        payload: { message_id: 'none', status: 'accepted' },
      });
      await agent.settle();
      expect(agent.messages.entries.map((m) => m.text)).toEqual(['one', 'two']);
    }));

  it('9: disconnected before the ack, it comes again after reconnecting, at once and with the same id', () =>
    withChannel(async (agent, channel) => {
      const memory = new AgentMemory();
      agent.ack = acks({ kind: 'disconnect' });
      await world.rig.personSays('cut off');
      await agent.closed;
      const first = agent.messages.entries[0];
      const next = await world.agent({ connectorId: agent.connectorId, memory });
      await next.open(channel);
      const again = await next.messages.next((m) => m.text === 'cut off', 'redelivery');
      expect(again.messageId).toBe(first?.messageId);
      expect(again.packet.packet_id).not.toBe(first?.packet.packet_id);
    }));

  it('9: what was accepted is not sent again after reconnecting or restarting', () =>
    withChannel(async (agent, channel) => {
      await world.rig.personSays('done with');
      await agent.messages.next((m) => m.text === 'done with', 'message');
      await agent.settle();
      // In good order: after a SIGKILL the same id may come once more, and is answered duplicate (test/e2e/crash).
      await world.host.stop();
      await world.host.restart();
      await world.rig.attach(world.host);
      const next = await world.agent({ connectorId: agent.connectorId });
      await next.open(channel);
      await next.untilStatus(channel, 'connected');
      await world.rig.personSays('new');
      await next.messages.next((m) => m.text === 'new', 'the new one');
      expect(next.messages.entries.map((m) => m.text)).toEqual(['new']);
    }));

  it('R33: written while no agent is there, it waits, also over a restart of the host', () =>
    withChannel(async (agent, channel) => {
      agent.crash();
      await agent.closed;
      await world.rig.personSays('nobody home 1');
      await world.rig.personSays('nobody home 2');
      await eventually(
        async () => (await counterOf(world.host, world.rig.cardId, channel, 'pending')) === 2,
        'two pending',
      );
      await world.host.restart();
      await world.rig.attach(world.host);
      const next = await world.agent({ connectorId: agent.connectorId });
      await next.open(channel);
      await next.messages.next((m) => m.text === 'nobody home 2', 'the second');
      expect(next.messages.entries.map((m) => m.text)).toEqual(['nobody home 1', 'nobody home 2']);
    }));

  it('8.3: nothing is sent on a channel this connection has not opened', () =>
    withChannel(async (agent, channel) => {
      agent.crash();
      await agent.closed;
      const next = await world.agent({ connectorId: agent.connectorId });
      await world.rig.personSays('not yet');
      await eventually(
        async () => (await counterOf(world.host, world.rig.cardId, channel, 'pending')) === 1,
        'pending',
      );
      await next.settle();
      expect(next.messages.entries).toEqual([]);
      await next.open(channel);
      await next.messages.next((m) => m.text === 'not yet', 'message');
    }));
});

describe('retention (IM Profile v1 section 7)', () => {
  it('an expired message is never delivered, is counted, and neither retries nor restarts prolong it', async () => {
    const world = await World.start(new LocalRig(), {
      delivery: { ttlMs: 1_500, ackTimeoutMs: 200, retryInitialMs: 50, retryMaxMs: 100 },
    });
    try {
      const { agent, channel } = await world.bound();
      agent.crash();
      await agent.closed;
      await world.rig.personSays('too late');
      await eventually(async () => (await counterOf(world.host, 'im.local', channel, 'pending')) === 1, 'pending');
      await world.host.restart();
      await world.rig.attach(world.host);
      await eventually(async () => (await counterOf(world.host, 'im.local', channel, 'expired')) === 1, 'expired');
      const next = await world.agent({ connectorId: agent.connectorId });
      await next.open(channel);
      await world.rig.personSays('in time');
      await next.messages.next((m) => m.text === 'in time', 'the next');
      expect(next.messages.entries.map((m) => m.text)).toEqual(['in time']);
      await world.farewell();
    } finally {
      await world.end();
    }
  });

  it("a full queue stops the network's cursor before anything is lost: all of it arrives later", async () => {
    const world = await World.start(new TelegramNetwork(), {
      delivery: { capacityPerChannel: 5, ackTimeoutMs: 1_000, retryInitialMs: 50, retryMaxMs: 100 },
    });
    try {
      const { agent, channel } = await world.bound();
      agent.crash();
      await agent.closed;
      const texts = Array.from({ length: 25 }, (_, i) => `backlog ${i}`);
      for (const text of texts) await world.rig.personSays(text);
      await eventually(
        async () => (await counterOf(world.host, 'im.telegram', channel, 'pending')) >= 5,
        'queue to fill',
      );
      const next = await world.agent({ connectorId: agent.connectorId });
      await next.open(channel);
      await next.messages.next((m) => m.text === 'backlog 24', 'the last', { ms: 20_000 });
      expect(next.messages.entries.map((m) => m.text)).toEqual(texts);
      expect(await counterOf(world.host, 'im.telegram', channel, 'evicted')).toBe(0);
      await world.farewell();
    } finally {
      await world.end();
    }
  });
});
