import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LocalRig } from '../support/local-rig.js';
import { UpgradeRefused, openSocket } from '../support/spec-agent.js';
import { World } from '../support/world.js';

describe('hello (sections 6, 8.1, 8.2)', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start(new LocalRig());
  });
  afterEach(() => world.farewell());
  afterAll(() => world.end());

  const silent = () => world.agent({ hello: false });

  describe('R3: subprotocol', () => {
    it('the offered subprotocol is echoed', async () => {
      expect((await world.agent()).subprotocol).toBe('xagent.connector.packet.v1');
    });

    it('a missing one is accepted, ours among others is chosen', async () => {
      expect((await world.agent({ subprotocols: [] })).subprotocol).toBe('');
      expect((await world.agent({ subprotocols: ['other.v1', 'xagent.connector.packet.v1'] })).subprotocol).toBe(
        'xagent.connector.packet.v1',
      );
    });

    it('only foreign ones are 400', async () => {
      const foreign = openSocket({
        baseUrl: world.base,
        apiKey: world.host.apiKey,
        subprotocols: ['other.v1', 'other.v2'],
      });
      await expect(foreign).rejects.toMatchObject({ name: 'UpgradeRefused', status: 400 });
    });
  });

  it('section 3: without or with a wrong key there is no data plane', async () => {
    await expect(openSocket({ baseUrl: world.base })).rejects.toBeInstanceOf(UpgradeRefused);
    await expect(openSocket({ baseUrl: world.base, apiKey: 'test-api' })).rejects.toMatchObject({ status: 401 });
  });

  it('an upgrade on another path is refused', async () => {
    const other = openSocket({ baseUrl: `${world.host.url}/nothing`, apiKey: world.host.apiKey });
    await expect(other).rejects.toMatchObject({ name: 'UpgradeRefused', status: 404 });
  });

  it('8.1: the first connection without connector_id is accepted and given one', async () => {
    const agent = await silent();
    const ack = await agent.hello({ connector_id: '' });
    expect(ack.type).toBe('connector.hello.ack');
    expect(ack.payload).toEqual({
      connector_card_id: 'im.local',
      connector_id: expect.stringMatching(/.{8,}/),
      protocol_version: '3.0',
    });
  });

  it.each([undefined, null, ''])('8.1: connector_id %s is never a reason to refuse', async (connectorId) => {
    const agent = await silent();
    expect((await agent.hello({ connector_id: connectorId })).type).toBe('connector.hello.ack');
  });

  it('R12 (a, b): the same id is given back on every hello', async () => {
    const first = await world.agent();
    const second = await world.agent({ connectorId: first.connectorId });
    const third = await world.agent();
    expect(second.connectorId).toBe(first.connectorId);
    expect(third.connectorId).toBe(first.connectorId);
  });

  it('R12 (d): a foreign id is answered with the held one, and a hello with that is stable', async () => {
    const held = (await world.agent()).connectorId;
    const stranger = await world.agent({ connectorId: 'conn_im_local_someone_else' });
    expect(stranger.connectorId).toBe(held);
    expect((await world.agent({ connectorId: stranger.connectorId })).connectorId).toBe(held);
  });

  it('another card id is connector_card_id_mismatch', async () => {
    const agent = await silent();
    expect((await agent.hello({ connector_card_id: 'im.telegram' })).error?.code).toBe('connector_card_id_mismatch');
  });

  it.each([
    ['omitted', undefined],
    ['null', null],
    ['1.0', '1.0'],
    ['2.9', '2.9'],
    ['2.99', '2.99'],
    ['not a version', 'three'],
    ['three parts', '3.0.0'],
    ['a number', 3],
    ['empty', ''],
  ])('R10: protocol_version %s is refused', async (_what, version) => {
    const agent = await silent();
    const answer = await agent.hello({ protocol_version: version });
    expect(answer.type).toBe('error');
    expect(answer.error?.code).toBe('protocol_version_unsupported');
  });

  it.each(['3.0', '3.1', '3.10', '4.0', '4.4', '10.0'])(
    'R10: protocol_version %s is accepted and answered 3.0',
    async (version) => {
      const agent = await silent();
      const answer = await agent.hello({ protocol_version: version });
      expect(answer.payload?.['protocol_version']).toBe('3.0');
    },
  );

  it.each([
    ['missing', undefined],
    ['null', null],
    ['text', 'xagent.im.v2'],
    ['numbers', [1]],
  ])('R11: supported_profiles %s is invalid_packet', async (_what, profiles) => {
    const agent = await silent();
    expect((await agent.hello({ supported_profiles: profiles })).error?.code).toBe('invalid_packet');
  });

  it.each([
    ['empty', []],
    ['foreign', ['xagent.device.v1']],
    ['only v1 to a v2 card', ['xagent.im.v1']],
  ])('R11: supported_profiles %s share nothing: profile_not_supported', async (_what, profiles) => {
    const agent = await silent();
    const answer = await agent.hello({ supported_profiles: profiles });
    expect(answer.type).toBe('error');
    expect(answer.error?.code).toBe('profile_not_supported');
  });

  it('R9: a refused hello leaves the socket open for a corrected one', async () => {
    const agent = await silent();
    await agent.hello({ protocol_version: '2.0' });
    expect((await agent.hello()).type).toBe('connector.hello.ack');
    await agent.open();
  });

  it('R9: the third refusal closes the socket', async () => {
    const agent = await silent();
    for (let i = 0; i < 3; i += 1) await agent.hello({ protocol_version: '1.0' });
    expect((await agent.closed).code).toBe(1008);
  });

  it('R9: a second valid hello gets the same answer', async () => {
    const agent = await world.agent();
    const again = await agent.hello();
    expect(again.payload).toMatchObject({ connector_id: agent.connectorId });
  });

  it.each([
    'channel.open',
    'auth.start',
    'tool.invoke',
    'connection.descriptor.get',
    'chat.message',
    'ping',
    'no.such.type',
  ])('R8: %s before hello is hello_required and has no effect', async (type) => {
    const agent = await silent();
    const answer = await agent.request(type, {
      channel: type === 'channel.open' ? '' : 'cch_x',
      payload: { message_id: 'm', text: 'x' },
    });
    expect(answer.type).toBe('error');
    expect(answer.error?.code).toBe('hello_required');
    expect((await agent.hello()).type).toBe('connector.hello.ack');
  });

  it('R8: a peer that never says hello but goes on talking is closed', async () => {
    const agent = await silent();
    for (let i = 0; i < 40 && agent.isOpen; i += 1) agent.send({ type: 'ping', request_id: `r${i}` });
    expect((await agent.closed).code).toBe(1008);
  });

  it('R9: a peer that never says hello is closed after helloTimeoutMs', async () => {
    const hasty = await World.start(new LocalRig(), { server: { helloTimeoutMs: 300 } });
    try {
      const mute = await hasty.agent({ hello: false });
      expect((await mute.closed).code).toBe(1008);
      const polite = await hasty.agent();
      await polite.settle();
      await hasty.farewell();
    } finally {
      await hasty.end();
    }
  });

  it('8.1: connector_id survives a restart', async () => {
    const before = (await world.agent()).connectorId;
    await world.farewell();
    await world.host.restart();
    await world.rig.attach(world.host);
    expect((await world.agent({ connectorId: before })).connectorId).toBe(before);
  });
});
