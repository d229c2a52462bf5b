import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ControlSocket } from '../support/control-socket.js';
import { LocalRig } from '../support/local-rig.js';
import { eventually } from '../support/deadline.js';
import { statusOf } from '../support/spec-agent.js';
import { records } from '../support/wire-rules.js';
import { World } from '../support/world.js';

describe('channels (sections 8.3 to 8.6, 8.15, 9)', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start(new LocalRig());
  });
  afterEach(() => world.farewell());
  afterAll(() => world.end());

  it('8.4: an empty id gets a new channel, created and not authenticated, with every tool closed', async () => {
    const agent = await world.agent();
    const { channel, descriptor } = await agent.open();
    expect(channel.length).toBeGreaterThanOrEqual(20);
    expect(statusOf(descriptor)).toBe('created');
    for (const tool of records(descriptor['tools'])) expect(tool['status']).not.toBe('available');
  });

  it('two opens are two channels', async () => {
    const agent = await world.agent();
    expect((await agent.open()).channel).not.toBe((await agent.open()).channel);
  });

  it('opening an open channel again is the same channel', async () => {
    const agent = await world.agent();
    const { channel } = await agent.open();
    expect((await agent.open(channel)).channel).toBe(channel);
  });

  it('R14: a client-chosen id is never adopted', async () => {
    const agent = await world.agent();
    expect((await agent.open('cch_guess_me')).channel).not.toBe('cch_guess_me');
  });

  it('R15, R17: close ends the route, is idempotent, and the channel says channel_not_open until it is opened again', async () => {
    const { agent, channel } = await world.bound();
    expect((await agent.request('channel.close', { channel })).payload).toEqual({ status: 'ok' });
    expect((await agent.request('channel.close', { channel })).payload).toEqual({ status: 'ok' });
    for (const [type, payload] of [
      ['auth.start', { flow_id: 'local_pairing' }],
      ['auth.status', {}],
      ['auth.cancel', { auth_session_id: 'x' }],
      ['auth.logout', {}],
      ['connection.descriptor.get', {}],
      ['tool.invoke', { tool_id: 'local_message_send', arguments: { text: 'must not arrive' } }],
      ['chat.message', { message_id: 'm_closed', text: 'must not arrive' }],
    ] as const) {
      const answer = await agent.request(type, { channel, payload });
      expect([type, answer.type, answer.error?.code]).toEqual([type, 'error', 'channel_not_open']);
    }
    expect(await world.rig.visible()).not.toContain('must not arrive');
    const again = await agent.open(channel);
    expect(again.channel).toBe(channel);
    await agent.untilStatus(channel, 'connected');
    await world.signOut(agent, channel);
  });

  it('R44, 8.5: close keeps the sign-in; messages wait and are delivered after reopening', async () => {
    const { agent, channel } = await world.bound();
    await agent.request('channel.close', { channel });
    const from = agent.messages.mark;
    await world.rig.personSays('while closed');
    await agent.settle();
    expect(agent.messages.since(from)).toEqual([]);
    await agent.open(channel);
    expect((await agent.messages.next((m) => m.text === 'while closed', 'message')).packet.connector_channel_id).toBe(
      channel,
    );
    await world.signOut(agent, channel);
  });

  it('8.3: what waits for a sign-in made in the window comes after the answer and the descriptor that give it', async () => {
    const control = await ControlSocket.open(world.host.dataDir);
    const { accountId } = await control.command('sign-in', { connector: 'local', input: { display_name: 'Kim' } });
    await control.command('local-send', { accountId, text: 'written before' });
    control.close();
    const agent = await world.agent();
    const { channel } = await agent.open();
    const from = agent.received.mark;
    const started = await agent.request('auth.start', { channel, payload: {} });
    expect(started.payload).toMatchObject({ status: 'authenticated' });
    await agent.messages.next((m) => m.text === 'written before', 'message');
    const types = agent.received.since(from).map((packet) => packet.type);
    expect(types.indexOf('auth.start.ack')).toBeLessThan(types.lastIndexOf('connection.descriptor.push'));
    expect(types.at(-1)).toBe('chat.message');
    await world.signOut(agent, channel);
  });

  it('8.3: channels without a sign-in are bounded for one connection, and room comes back', async () => {
    const agent = await world.agent();
    const opened: string[] = [];
    for (;;) {
      const ack = await agent.request('channel.open', { channel: '' });
      if (ack.error) {
        expect([ack.type, ack.error.code]).toEqual(['channel.open.ack', 'connector_channel_unavailable']);
        break;
      }
      opened.push(String(ack.connector_channel_id));
      expect(opened.length).toBeLessThanOrEqual(1_000);
    }
    expect(opened.length).toBeGreaterThanOrEqual(64);
    await agent.request('channel.close', { channel: opened[0] ?? '' });
    await agent.open();
  });

  it('persistent channels are known after a restart; temporary ones are not', async () => {
    const { agent, channel } = await world.bound();
    const temporary = (await agent.open()).channel;
    await world.host.restart();
    await world.rig.attach(world.host);
    const next = await world.agent({ connectorId: agent.connectorId });
    expect((await next.open(channel)).channel).toBe(channel);
    await next.untilStatus(channel, 'connected');
    expect((await next.open(temporary)).channel).not.toBe(temporary);
    await world.signOut(next, channel);
  });

  it('a temporary channel is forgotten with its socket', async () => {
    const agent = await world.agent();
    const { channel } = await agent.open();
    await agent.bye();
    const next = await world.agent();
    await eventually(async () => (await next.open(channel)).channel !== channel, 'temporary channel to be forgotten');
  });

  it('a burst of 50 concurrent opens is answered 50 times, each with its own channel', async () => {
    const agent = await world.agent();
    const opened = await Promise.all(Array.from({ length: 50 }, () => agent.open()));
    expect(new Set(opened.map((o) => o.channel)).size).toBe(50);
    const again = await Promise.all(opened.map((o) => agent.open(o.channel)));
    expect(again.map((o) => o.channel)).toEqual(opened.map((o) => o.channel));
  });

  it('8.16: descriptor.get answers before authentication', async () => {
    const agent = await world.agent();
    const { channel } = await agent.open();
    expect(statusOf(await agent.descriptorOf(channel))).toBe('created');
  });

  it('section 9: profiles are what card and this hello share', async () => {
    const agent = await world.agent({ profiles: ['xagent.im.v2', 'xagent.device.v1', 'xagent.future.v9'] });
    const { descriptor } = await agent.open();
    expect(descriptor['connection']).toMatchObject({ profiles: ['xagent.im.v2'] });
  });

  it('section 9: once signed in the descriptor is connected, with tools available and granted, and nothing but hints', async () => {
    const { agent, channel } = await world.bound();
    const descriptor = await agent.descriptorOf(channel);
    expect(records(descriptor['tools']).map((t) => [t['tool_id'], t['status'], t['target_permission_state']])).toEqual([
      ['local_message_send', 'available', 'granted'],
      ['local_file_send', 'available', 'granted'],
    ]);
    await world.signOut(agent, channel);
  });

  it('L13: a channel of one connector is nothing to another', async () => {
    const { agent, channel } = await world.bound();
    const other = await world.agent({ baseUrl: world.host.base('telegram') });
    expect((await other.request('connection.descriptor.get', { channel })).error?.code).toBe('connection_not_found');
    expect((await other.open(channel)).channel).not.toBe(channel);
    expect((await other.files.uploadRaw(channel, { filename: 'a.txt', content: 'x' })).status).toBe(404);
    await world.signOut(agent, channel);
  });
});
