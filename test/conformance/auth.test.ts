import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LocalRig } from '../support/local-rig.js';
import { statusOf, type SpecAgent } from '../support/spec-agent.js';
import { TelegramNetwork } from '../support/telegram-network.js';
import { World } from '../support/world.js';

const RIGS = [
  ['local', () => new LocalRig()],
  ['telegram', () => new TelegramNetwork()],
] as const;

describe.each(RIGS)('auth sessions over /%s (sections 8.7 to 8.14)', (name, makeRig) => {
  let world: World;
  beforeAll(async () => {
    world = await World.start(makeRig());
  });
  afterEach(() => world.farewell());
  afterAll(() => world.end());

  const start = (agent: SpecAgent, channel: string, payload: Record<string, unknown> = {}) =>
    agent.request('auth.start', {
      channel,
      payload: { flow_id: world.rig.flowId, input: world.rig.input(), ...payload },
    });

  it('8.8: a completed form sign-in is answered authenticated, with the descriptor and the session', async () => {
    const agent = await world.agent();
    const { channel } = await agent.open();
    const ack = await start(agent, channel);
    expect(ack.type).toBe('auth.start.ack');
    expect(ack.payload).toMatchObject({
      connector_channel_id: channel,
      flow_id: world.rig.flowId,
      status: 'authenticated',
      auth_session_id: expect.any(String),
    });
    expect(ack.payload?.['connection_descriptor']).toBeDefined();
    await agent.untilStatus(channel, 'connected');
    await world.signOut(agent, channel);
  });

  it('8.17: the change is pushed as well', async () => {
    const agent = await world.agent();
    const { channel } = await agent.open();
    const from = agent.received.mark;
    await start(agent, channel);
    await agent.received.next(
      (p) => p.type === 'connection.descriptor.push' && statusOf(p.payload?.['connection_descriptor']) === 'connected',
      'push connected',
      { from },
    );
    await world.signOut(agent, channel);
  });

  it('R19: already bound and no input: authenticated at once', async () => {
    const { agent, channel } = await world.bound();
    for (const payload of [{ input: undefined }, { input: {} }, { input: null }, { flow_id: undefined, input: {} }]) {
      expect((await start(agent, channel, payload)).payload?.['status']).toBe('authenticated');
    }
    await world.signOut(agent, channel);
  });

  it('R19: an unknown flow is an auth_start_failed ack', async () => {
    const agent = await world.agent();
    const { channel } = await agent.open();
    const ack = await start(agent, channel, { flow_id: 'no_such_flow' });
    expect(ack.type).toBe('auth.start.ack');
    expect(ack.error?.code).toBe('auth_start_failed');
  });

  it('R19: no flow id means the only flow there is', async () => {
    const agent = await world.agent();
    const { channel } = await agent.open();
    expect((await start(agent, channel, { flow_id: undefined })).payload?.['status']).toBe('authenticated');
    await world.signOut(agent, channel);
  });

  it('a malformed auth.start is invalid_packet', async () => {
    const agent = await world.agent();
    const { channel } = await agent.open();
    for (const payload of [{ flow_id: 7 }, { input: 'x' }, { input: [] }]) {
      expect((await start(agent, channel, payload)).error?.code).toBe('invalid_packet');
    }
  });

  it('R18: auth.status without a session answers for the channel', async () => {
    const agent = await world.agent();
    const { channel } = await agent.open();
    const before = await agent.request('auth.status', { channel, payload: {} });
    expect(before.payload).toMatchObject({ connector_channel_id: channel, status: 'unauthenticated' });
    await start(agent, channel);
    const after = await agent.request('auth.status', { channel, payload: {} });
    expect(after.payload).toMatchObject({ status: 'authenticated' });
    expect(after.payload?.['connection_descriptor']).toBeDefined();
    await world.signOut(agent, channel);
  });

  it('8.10: auth.status of the completed session is authenticated with the descriptor', async () => {
    const agent = await world.agent();
    const { channel } = await agent.open();
    const session = (await start(agent, channel)).payload?.['auth_session_id'];
    const ack = await agent.request('auth.status', {
      channel,
      payload: { flow_id: world.rig.flowId, auth_session_id: session },
    });
    expect(ack.payload).toMatchObject({ status: 'authenticated', auth_session_id: session });
    await world.signOut(agent, channel);
  });

  it('R18, 8.9: an unknown session is auth_session_not_found', async () => {
    const agent = await world.agent();
    const { channel } = await agent.open();
    const ack = await agent.request('auth.status', { channel, payload: { auth_session_id: 'auth_nothing' } });
    expect(ack.type).toBe('auth.status.ack');
    expect(ack.error?.code).toBe('auth_session_not_found');
  });

  it('R20: cancel of nothing is not_found; of a completed session ignored, and the sign-in stays', async () => {
    const agent = await world.agent();
    const { channel } = await agent.open();
    const nothing = await agent.request('auth.cancel', { channel, payload: { auth_session_id: 'auth_nothing' } });
    expect(nothing.payload).toMatchObject({ connector_channel_id: channel, status: 'not_found' });
    const session = (await start(agent, channel)).payload?.['auth_session_id'];
    const done = await agent.request('auth.cancel', { channel, payload: { auth_session_id: session } });
    expect(done.payload).toMatchObject({ status: 'ignored', auth_status: 'authenticated' });
    await agent.untilStatus(channel, 'connected');
    await world.signOut(agent, channel);
  });

  it('R20: a session of another channel is not_found', async () => {
    const { agent, channel } = await world.bound();
    const session = (await start(agent, channel, { input: {} })).payload?.['auth_session_id'];
    const other = (await agent.open()).channel;
    const ack = await agent.request('auth.cancel', {
      channel: other,
      payload: { auth_session_id: session ?? 'auth_x' },
    });
    expect(ack.payload?.['status']).toBe('not_found');
    await world.signOut(agent, channel);
  });

  it('8.13, R21, R44: logout ends the sign-in, keeps channel and route, and says so', async () => {
    const { agent, channel } = await world.bound();
    const ack = await agent.request('auth.logout', { channel });
    expect(ack.payload?.['status']).toBe('ok');
    expect(['created', 'expired', 'revoked']).toContain(statusOf(ack.payload?.['connection_descriptor']));
    const descriptor = await agent.descriptorOf(channel);
    expect(['created', 'expired', 'revoked']).toContain(statusOf(descriptor));
    const tool = await agent.tool(channel, world.rig.messageTool, { text: 'must not arrive' });
    expect(tool.error?.code).toBe('connection_not_authenticated');
    expect(await world.rig.visible()).not.toContain('must not arrive');
    // The same channel can be signed in again (8.3: the user's binding keeps its id).
    await agent.bind(world.rig.flowId, world.rig.input(), channel);
    await agent.untilStatus(channel, 'connected');
    await world.signOut(agent, channel);
  });

  it('logout of a channel that is not signed in is ok', async () => {
    const agent = await world.agent();
    const { channel } = await agent.open();
    expect((await agent.request('auth.logout', { channel })).payload?.['status']).toBe('ok');
  });

  it('a sign-out survives a restart', async () => {
    const { agent, channel } = await world.bound();
    await world.signOut(agent, channel);
    await world.host.restart();
    await world.rig.attach(world.host);
    const next = await world.agent({ connectorId: agent.connectorId });
    const opened = await next.open(channel);
    expect(['created', 'expired', 'revoked']).toContain(statusOf(opened.descriptor));
  });

  it('a sign-in survives a restart: nobody signs in twice', async () => {
    const { agent, channel } = await world.bound();
    await world.host.restart();
    await world.rig.attach(world.host);
    const next = await world.agent({ connectorId: agent.connectorId });
    await next.open(channel);
    await next.untilStatus(channel, 'connected');
    await world.rig.bound(next, channel);
    await world.signOut(next, channel);
  });

  // The local chat needs no field.
  if (name !== 'telegram') return;
  it('a missing required field is refused with words that name it', async () => {
    const agent = await world.agent();
    const { channel } = await agent.open();
    const ack = await start(agent, channel, { input: { chat_id: '1' } });
    expect(ack.error).toMatchObject({ code: 'auth_start_failed', message: expect.stringContaining('bot_token') });
  });
});
