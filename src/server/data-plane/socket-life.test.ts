import { afterEach, describe, expect, it } from 'vitest';
import { deafSocket, frame } from '../../../test/support/deaf-socket.js';
import { eventually } from '../../../test/support/deadline.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { API_KEY, ServerRig, type RigOptions, type TestAgent } from '../../../test/support/server-rig.js';
import { PACKET_SCHEMA } from '../../protocol/index.js';

describe('a data-plane socket under load and at its end', () => {
  let rig: ServerRig | undefined;
  const start = async (setup?: RigOptions): Promise<ServerRig> => (rig = await ServerRig.start(setup));
  afterEach(async () => {
    await rig?.stop();
    rig = undefined;
  });

  describe('a peer that floods or does not read', () => {
    it('with too many requests running is not read until half are done', async () => {
      const started = await start({ dataPlane: { maxInFlight: 10 } });
      const agent = await started.agent();
      const release: (() => void)[] = [];
      started.connector.onOpen = () => new Promise((resolve) => release.push(resolve));
      for (let i = 0; i < 10; i += 1) agent.send({ type: 'channel.open' });
      await eventually(() => release.length === 10, 'ten requests to run');
      for (let i = 0; i < 20; i += 1) agent.send({ type: 'channel.open' });
      await (await started.agent()).settle();
      expect(release).toHaveLength(10);
      for (const done of release.splice(0, 5)) done();
      await eventually(() => release.length > 5, 'reading to go on');
      for (let done = release.pop(); done; done = release.pop()) {
        done();
        await new Promise((resolve) => setImmediate(resolve));
      }
      await eventually(() => {
        for (const done of release.splice(0)) done();
        return agent.received.entries.filter((packet) => packet.type === 'channel.open.ack').length === 30;
      }, 'all thirty to be answered');
    });

    it('is held by the bytes of running requests too', async () => {
      const started = await start({ dataPlane: { maxInFlightBytes: 100_000 } });
      const agent = await started.agent();
      const release: (() => void)[] = [];
      started.connector.onOpen = () => new Promise((resolve) => release.push(resolve));
      agent.send({ type: 'channel.open', payload: { filler: 'x'.repeat(150_000) } });
      await eventually(() => release.length === 1, 'the big one to run');
      agent.send({ type: 'ping', request_id: 'late' });
      await (await started.agent()).settle();
      expect(agent.received.entries.some((packet) => packet.request_id === 'late')).toBe(false);
      release.pop()?.();
      await agent.received.next((packet) => packet.request_id === 'late', 'the late pong');
    });

    it('that sends but never reads is held back, then cut by the heartbeat; memory stays bounded', async () => {
      const clock = new ManualClock();
      const started = await start({ clock, options: { pingIntervalMs: 25_000, helloTimeoutMs: 1e9 } });
      const deaf = await deafSocket({ port: started.port, connector: 'alpha', apiKey: API_KEY });
      await eventually(() => started.connector.dataPlanes === 1, 'hello');
      const link = started.connector.lastLink;
      const ping = frame(
        JSON.stringify({ schema: PACKET_SCHEMA, packet_id: 'p', request_id: 'r'.repeat(20_000), type: 'ping' }),
      );
      const before = process.memoryUsage().rss;
      let written = 0;
      // Each answer is as long as its question: were they all kept, this would be two gigabytes.
      for (; written < 100_000; written += 1) {
        if (deaf.write(ping)) continue;
        const drained = await Promise.race([
          new Promise((resolve) => deaf.once('drain', () => resolve(true))),
          new Promise((resolve) => setTimeout(() => resolve(false), 500)),
        ]);
        if (drained === false) break;
      }
      expect(written).toBeLessThan(100_000);
      expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);

      const offered = link.upstream('cch_1').transmit({
        accountId: 'a',
        messageId: 'm',
        text: 'x',
        files: [],
        message: { id: 'm', text: 'x', attachments: [], sender: { id: 's' }, conversation: { id: 'c', type: 'p2p' } },
        receivedAt: 0,
      });
      await expect(offered).rejects.toMatchObject({
        name: 'TransportError',
        code: 'agent_not_reading',
        effect: 'none',
      });
      await (await started.agent()).settle();

      await clock.advance(75_000);
      await eventually(() => !link.open, 'the socket to be cut');
      deaf.destroy();
    });

    it('is cut at the hard mark, where only pushes can bring it', async () => {
      const started = await start({ dataPlane: { softBufferBytes: 100_000, hardBufferBytes: 1_000_000 } });
      const deaf = await deafSocket({ port: started.port, connector: 'alpha', apiKey: API_KEY });
      await eventually(() => started.connector.dataPlanes === 1, 'hello');
      const link = started.connector.lastLink;
      const descriptor = started.connector.describe('cch_1');
      const fat = { ...descriptor, target: { ...descriptor.target, display_name: 'x'.repeat(100_000) } };
      for (let i = 0; i < 1_000 && link.open; i += 1) {
        link.pushDescriptor('cch_1', fat);
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(link.open).toBe(false);
      deaf.destroy();
    });
  });

  describe('half-open sockets', () => {
    it('are cut after two missed pings and no longer count', async () => {
      const clock = new ManualClock();
      const started = await start({ clock, options: { pingIntervalMs: 25_000 } });
      const dead = await started.agent({ socket: { headers: started.bearer, autoPong: false } });
      const alive = await started.agent();
      for (let i = 0; i < 3; i += 1) {
        await clock.advance(25_000);
        await alive.settle();
      }
      expect((await dead.closed).code).toBe(1006);
      await eventually(() => started.connector.dataPlanes === 1, 'the dead one to be forgotten');
      expect(started.connector.lastLink.open).toBe(true);
    });
  });

  describe('endings', () => {
    it('a rotated key closes every socket at once; the old key is no longer let in', async () => {
      const started = await start();
      const agents: TestAgent[] = [];
      for (const connector of started.connectors) agents.push(await started.agent({ connector }));
      const mute = await started.agent({ hello: false });
      const old = started.bearer;
      started.rotate('another-key');
      expect(started.connectors.map((connector) => connector.dataPlanes)).toEqual([0, 0]);
      for (const agent of [...agents, mute]) {
        expect(await agent.closed).toEqual({ code: 1008, reason: 'api key rotated' });
      }
      await expect(started.agent({ socket: { headers: old } })).rejects.toThrow('401');
      await (await started.agent()).settle();
    });

    it('a peer that does not answer the closing handshake is cut', async () => {
      const clock = new ManualClock();
      const started = await start({ clock, limits: { closeMs: 1_000 } });
      const deaf = await deafSocket({ port: started.port, connector: 'alpha', apiKey: API_KEY });
      await eventually(() => started.connector.dataPlanes === 1, 'hello');
      const closed = new Promise((resolve) => deaf.on('close', resolve).resume());
      started.rotate('another-key');
      await clock.advance(1_000);
      await closed;
    });

    it('closing lets what runs finish, takes nothing new, and says 1001', async () => {
      const started = await start();
      const agent = await started.agent();
      const channel = await agent.open();
      const link = started.connector.lastLink;
      let finish: (() => void) | undefined;
      started.connector.onInvoke = () => new Promise((resolve) => (finish = () => resolve({ status: 'sent' })));
      const running = agent.request({ type: 'tool.invoke', connector_channel_id: channel, payload: { tool_id: 't' } });
      await agent.settle();
      const closing = started.server.close();
      agent.send({ type: 'ping', request_id: 'too late' });
      expect(link.open).toBe(false);
      finish?.();
      expect((await running).type).toBe('tool.invoke.ack');
      expect((await agent.closed).code).toBe(1001);
      await closing;
      expect(agent.received.entries.some((packet) => packet.request_id === 'too late')).toBe(false);
    });

    it('closing waits for nobody longer than its limits', async () => {
      const clock = new ManualClock();
      const started = await start({ clock, limits: { drainMs: 1_500, closeMs: 1_000 } });
      const agent = await started.agent();
      const channel = await agent.open();
      started.connector.onInvoke = () => new Promise(() => undefined);
      agent.send({ type: 'tool.invoke', connector_channel_id: channel, payload: { tool_id: 't' } });
      await agent.settle();
      const closing = started.server.close();
      await clock.advance(1_500);
      expect((await agent.closed).code).toBe(1001);
      await clock.advance(1_000);
      await clock.advance(1_000);
      await closing;
    });
  });
});
