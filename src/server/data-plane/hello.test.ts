import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { eventually } from '../../../test/support/deadline.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { ServerRig, type RigOptions } from '../../../test/support/server-rig.js';

describe('a data-plane socket and its hello', () => {
  let rig: ServerRig | undefined;
  const start = async (setup?: RigOptions): Promise<ServerRig> => (rig = await ServerRig.start(setup));
  afterEach(async () => {
    await rig?.stop();
    rig = undefined;
  });

  describe('before hello', () => {
    it.each(['ping', 'pong', 'channel.open', 'chat.message', 'chat.message.ack', 'no.such.type'])(
      '%s is hello_required, and a hello still works',
      async (type) => {
        const agent = await (await start()).agent({ hello: false });
        const answer = await agent.request({ type, request_id: 'r', connector_channel_id: 'c' });
        expect(answer).toMatchObject({ type: 'error', request_id: 'r', error: { code: 'hello_required' } });
        expect((await agent.hello()).type).toBe('connector.hello.ack');
      },
    );

    it('an error is not answered with an error', async () => {
      const agent = await (await start()).agent({ hello: false });
      agent.send({ type: 'error', error: { code: 'x' } });
      await agent.hello();
      expect(agent.received.entries.map((packet) => packet.type)).toEqual(['connector.hello.ack']);
    });

    it('ten packets are answered, then the socket is closed', async () => {
      const agent = await (await start()).agent({ hello: false });
      for (let i = 0; i < 15; i += 1) agent.send({ type: 'ping' });
      expect((await agent.closed).code).toBe(1008);
      expect(agent.received.entries).toHaveLength(10);
    });

    it('noise counts as packets', async () => {
      const agent = await (await start()).agent({ hello: false });
      for (let i = 0; i < 10; i += 1) agent.socket.send('noise');
      expect((await agent.closed).code).toBe(1008);
    });

    it('a socket without hello is closed after its time, one with hello is not', async () => {
      const clock = new ManualClock();
      const started = await start({ clock, options: { helloTimeoutMs: 30_000, pingIntervalMs: 1_000_000 } });
      const mute = await started.agent({ hello: false });
      const polite = await started.agent();
      await clock.advance(29_999);
      await polite.settle();
      expect(mute.socket.readyState).toBe(WebSocket.OPEN);
      await clock.advance(1);
      expect(await mute.closed).toEqual({ code: 1008, reason: 'no hello in time' });
      await clock.advance(100_000);
      await polite.settle();
    });
  });

  describe('hello', () => {
    it('is answered with what the connector says, and counts the link', async () => {
      const started = await start();
      const agent = await started.agent({ hello: false });
      const ack = await agent.hello(undefined, {});
      expect(ack).toMatchObject({
        type: 'connector.hello.ack',
        payload: { connector_card_id: 'im.alpha', connector_id: 'conn_fake', protocol_version: '3.0' },
      });
      expect(started.connector.lastLink).toMatchObject({ open: true, profiles: ['xagent.im.v2'] });
    });

    it('rejected is an error and leaves the socket open; three in a row close it', async () => {
      const agent = await (await start()).agent({ hello: false });
      expect((await agent.hello([], { protocol_version: '2.0' })).error?.code).toBe('protocol_version_unsupported');
      expect((await agent.hello([], { connector_card_id: 'im.beta' })).error?.code).toBe('connector_card_id_mismatch');
      expect((await agent.hello()).type).toBe('connector.hello.ack');
      for (const bad of [{ supported_profiles: 'x' }, { supported_profiles: null }, { connector_card_id: '' }]) {
        expect((await agent.hello([], bad)).error?.code).toBe('invalid_packet');
      }
      expect((await agent.closed).code).toBe(1008);
    });

    it('may be repeated', async () => {
      const started = await start();
      const agent = await started.agent();
      expect((await agent.hello()).type).toBe('connector.hello.ack');
      expect(started.connector.dataPlanes).toBe(1);
    });

    it('of a socket that goes is told to its connector once; of one that never said hello, never', async () => {
      const started = await start();
      const agent = await started.agent();
      const mute = await started.agent({ hello: false });
      const link = started.connector.lastLink;
      agent.socket.terminate();
      mute.socket.terminate();
      await eventually(() => started.connector.gone.length > 0, 'the connector to hear of it');
      await (await started.agent()).settle();
      expect(started.connector.gone).toEqual([link]);
      expect(link.open).toBe(false);
    });
  });
});
