import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { deafSocket, frame } from '../support/deaf-socket.js';
import { eventually, within } from '../support/deadline.js';
import type { Config } from '../support/host-process.js';
import { LocalRig } from '../support/local-rig.js';
import { statusOf } from '../support/spec-agent.js';
import { connectorStatus } from '../support/status.js';
import { World } from '../support/world.js';

describe('the data plane as a socket (section 6, R13, L17)', () => {
  let world: World | undefined;
  afterEach(async () => {
    try {
      await world?.farewell();
    } finally {
      await world?.end();
      world = undefined;
    }
  });
  const start = async (config: Config = {}): Promise<World> => (world = await World.start(new LocalRig(), config));

  describe('R13: a second data plane', () => {
    it('answers go to the socket that asked, messages to the one that opened the channel last', async () => {
      const w = await start();
      const { agent: first, channel } = await w.bound();
      const second = await w.agent({ connectorId: first.connectorId });
      await w.rig.personSays('to the first');
      await first.messages.next((m) => m.text === 'to the first', 'message');
      await second.open(channel);
      await w.rig.personSays('to the second');
      await second.messages.next((m) => m.text === 'to the second', 'message');
      await first.settle();
      expect(first.messages.entries.map((m) => m.text)).toEqual(['to the first']);
      expect(second.messages.entries.map((m) => m.text)).toEqual(['to the second']);
    });

    it('the old socket dying takes nothing from the new one', async () => {
      const w = await start();
      const { agent: first, channel } = await w.bound();
      const second = await w.agent({ connectorId: first.connectorId });
      await second.open(channel);
      first.crash();
      await first.closed;
      await second.settle();
      await w.rig.personSays('still there');
      await second.messages.next((m) => m.text === 'still there', 'message');
    });

    it('what the old route had in flight comes to the new one', async () => {
      const w = await start();
      const { agent: first, channel } = await w.bound({ ack: () => ({ kind: 'silent' }) });
      await w.rig.personSays('in flight');
      const before = await first.messages.next((m) => m.text === 'in flight', 'message');
      const second = await w.agent({ connectorId: first.connectorId });
      await second.open(channel);
      const again = await second.messages.next((m) => m.text === 'in flight', 'message');
      expect(again.messageId).toBe(before.messageId);
    });
  });

  describe('L17: half-open sockets', () => {
    it('a socket that answers no ping is ended after two misses, and counts no longer', async () => {
      const w = await start({ server: { pingIntervalMs: 300 } });
      const dead = await w.agent({ autoPong: false });
      const alive = await w.agent();
      expect((await dead.closed).code).toBe(1006);
      await alive.settle();
      await eventually(async () => (await connectorStatus(w.host, 'im.local'))['data_planes'] === 1, 'one data plane');
    });

    it('a socket that answers is kept over many intervals, without sending anything', async () => {
      const w = await start({ server: { pingIntervalMs: 150 } });
      const quiet = await w.agent();
      let pings = 0;
      quiet.socket.on('ping', () => (pings += 1));
      await eventually(() => pings >= 8, 'eight pings');
      await quiet.settle();
    });
  });

  describe('back-pressure', () => {
    it('a reader that never reads is cut or held, others are served and memory stays bounded', async () => {
      const w = await start();
      const { agent, channel } = await w.bound();
      const deaf = await deafSocket({ port: w.host.port, connector: 'local', apiKey: w.host.apiKey });
      // Each of these is answered with a descriptor of about a kilobyte that nobody reads: some 60 MB in all.
      const open = JSON.stringify({
        schema: 'xagent.connector.packet/v1',
        packet_id: 'p',
        request_id: 'r',
        type: 'channel.open',
        connector_channel_id: channel,
      });
      await flood(deaf, open, 60_000, 8_000);
      await agent.settle();
      await agent.open(channel);
      await w.rig.personSays('still served');
      await agent.messages.next((m) => m.text === 'still served', 'message');
      const rss = Number(/VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${w.host.pid}/status`, 'utf8'))?.[1] ?? 0);
      expect(rss).toBeLessThan(400_000);
      deaf.destroy();
    });
  });

  it('a thousand packets at once are a thousand answers, in order', async () => {
    const w = await start();
    const agent = await w.agent();
    const from = agent.received.mark;
    for (let i = 0; i < 1_000; i += 1) agent.send({ type: 'ping', request_id: String(i) });
    await agent.received.next((p) => p.request_id === '999', 'the last pong', { from });
    expect(agent.received.since(from).map((p) => p.request_id)).toEqual(
      Array.from({ length: 1_000 }, (_, i) => String(i)),
    );
  });

  it('SIGTERM closes sockets with 1001', async () => {
    const w = await start();
    const { agent } = await w.bound();
    const stopping = w.host.stop();
    expect((await agent.closed).code).toBe(1001);
    expect((await stopping).code).toBe(0);
  });

  it('several agents in turn: disconnecting does not sign anybody out', async () => {
    const w = await start();
    const { agent, channel } = await w.bound();
    for (let i = 0; i < 10; i += 1) {
      const next = await w.agent({ connectorId: agent.connectorId });
      expect(statusOf((await next.open(channel)).descriptor)).toBe('connected');
      next.crash();
      await next.closed;
    }
  });
});

/** Writes as long as the server reads; ends when all is written, the server stops reading for good, or it hangs up. */
async function flood(socket: Socket, text: string, times: number, ms: number): Promise<void> {
  const end = performance.now() + ms;
  for (let i = 0; i < times && !socket.destroyed && performance.now() < end; i += 1) {
    if (socket.write(frame(text))) continue;
    await within(
      new Promise<void>((resolve) => socket.once('drain', resolve).once('close', () => resolve())),
      'drain',
      1_000,
    ).catch(() => undefined);
    if (socket.writableNeedDrain) return;
  }
}
