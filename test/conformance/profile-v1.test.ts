import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/deadline.js';
import { ask } from '../support/http-client.js';
import { LocalRig } from '../support/local-rig.js';
import { TelegramNetwork } from '../support/telegram-network.js';
import { counterOf } from '../support/status.js';
import { World } from '../support/world.js';

const RIGS = [
  ['local', () => new LocalRig()],
  ['telegram', () => new TelegramNetwork()],
] as const;

describe.each(RIGS)('IM Profile v1 over /%s', (name, makeRig) => {
  let world: World;
  beforeAll(async () => {
    world = await World.start(makeRig(), { connectors: { [name]: { profile: 'xagent.im.v1' } } });
  });
  afterEach(() => world.farewell());
  afterAll(() => world.end());

  it('3: card, tools and descriptor declare v1 and nothing else', async () => {
    const agent = await world.agent();
    expect(agent.card['supports']).toMatchObject({ profiles: ['xagent.im.v1'] });
    expect(JSON.stringify(agent.card)).not.toContain('xagent.im.v2');
    const { descriptor } = await agent.open();
    expect(descriptor['connection']).toMatchObject({ profiles: ['xagent.im.v1'] });
  });

  it('4.2 and 5: the skill, under its own name, says that the tool is the only way to answer', async () => {
    const { text } = await ask(`${world.base}/skill.md`);
    expect(text).toMatch(new RegExp(`^---\\nname: connector-im-${name}\\n`));
    const [said] = text.split('\n').filter((line) => line.includes('xagent.im.v1'));
    expect(said).toContain(`Answer with \`${world.rig.messageTool}\``);
    expect(text.indexOf('xagent.im.v1')).toBeLessThan(text.indexOf('by itself. Do not'));
  });

  it('R11: an agent that speaks v2 alone shares nothing with it', async () => {
    const agent = await world.agent({ hello: false, profiles: ['xagent.im.v2'] });
    expect((await agent.hello()).error?.code).toBe('profile_not_supported');
  });

  it('5: an inbound message is one message.push with the required fields, and no chat.message', async () => {
    const { agent, channel } = await world.bound();
    await world.rig.personSays('Going to sleep');
    const push = await agent.received.next((p) => p.type === 'message.push', 'message.push');
    expect(push.connector_channel_id).toBe(channel);
    expect(push.payload).toMatchObject({
      provider: name,
      profile: 'xagent.im.v1',
      event_kind: 'im.message.received',
      message_type: 'text',
      raw_text: 'Going to sleep',
      text: expect.stringContaining('Going to sleep'),
      activation_message: expect.stringContaining(world.rig.messageTool),
      reply: { required: true, tool_id: world.rig.messageTool },
    });
    expect(push.payload?.['display_name'] ?? push.payload?.['sender_name']).toEqual(expect.any(String));
    expect(push.payload?.['skill']).toMatchObject({ skill_id: `connector-im-${name}` });
    await agent.settle();
    expect(agent.received.entries.filter((p) => p.type === 'message.push')).toHaveLength(1);
    expect(agent.received.entries.filter((p) => p.type === 'chat.message')).toEqual([]);
    await eventually(
      async () => (await counterOf(world.host, world.rig.cardId, channel, 'delivered')) === 1,
      'counted as delivered',
    );
    await world.signOut(agent, channel);
  });

  it('7.1: written while the route is closed, it is kept and pushed after reopening, with a stable id and once', async () => {
    const { agent, channel } = await world.bound();
    await agent.request('channel.close', { channel });
    await world.rig.personSays('while away');
    await eventually(async () => (await counterOf(world.host, world.rig.cardId, channel, 'pending')) === 1, 'pending');
    await world.host.restart();
    await world.rig.attach(world.host);
    const next = await world.agent({ connectorId: agent.connectorId });
    await next.open(channel);
    const push = await next.received.next((p) => p.type === 'message.push', 'message.push');
    expect(push.payload?.['raw_text']).toBe('while away');
    await next.open(channel);
    await next.settle();
    expect(next.received.entries.filter((p) => p.type === 'message.push')).toHaveLength(1);
    await world.signOut(next, channel);
  });

  it('4: the send tool works under v1', async () => {
    const { agent, channel } = await world.bound();
    const ack = await agent.tool(channel, world.rig.messageTool, { text: 'v1 answer' });
    expect(ack.payload).toMatchObject({ result: { status: 'sent' } });
    expect(await world.rig.visible()).toContain('v1 answer');
    await world.signOut(agent, channel);
  });

  it.each(['chat.message', 'chat.message.delta'])(
    'R25: %s on a v1 channel is unsupported_packet and has no effect',
    async (type) => {
      const { agent, channel } = await world.bound();
      const answer = await agent.request(type, {
        channel,
        payload: { message_id: 'm1', sequence: 1, text: 'must not arrive' },
      });
      expect(answer.error?.code).toBe('unsupported_packet');
      expect(await world.rig.visible()).not.toContain('must not arrive');
      await world.signOut(agent, channel);
    },
  );
});
