import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/deadline.js';
import { Prosody } from '../support/prosody.js';
import { id, type SpecAgent } from '../support/spec-agent.js';
import { World } from '../support/world.js';
import { XmppRig } from '../support/xmpp-rig.js';

describe('the whole product on a real XMPP server', () => {
  const rig = new XmppRig();
  let world: World;
  let agent: SpecAgent;
  let channel: string;

  beforeAll(async () => {
    world = await World.start(rig, { delivery: { ackTimeoutMs: 2_000, retryInitialMs: 100, retryMaxMs: 400 } });
    channel = (await world.bound()).channel;
    await world.farewell();
  });
  beforeEach(async () => {
    agent = await world.agent();
    await agent.open(channel);
    await agent.untilStatus(channel, 'connected');
  });
  afterEach(() => world.farewell());
  afterAll(() => world.end());

  it('what the person writes arrives in order, byte for byte, also what they wrote while the host was down', async () => {
    const texts = Array.from({ length: 12 }, (_, i) => ` ${String(i)} 你好 👩🏽‍🚀\n<b>& "x"`);
    for (const text of texts.slice(0, 4)) await rig.personSays(text);
    await agent.messages.next((m) => m.text === texts[3], 'the fourth');
    await agent.settle();
    await world.host.kill();
    for (const text of texts.slice(4, 8)) await rig.personSays(text);
    await world.host.restart();
    const next = await world.agent({ connectorId: agent.connectorId, memory: agent.memory });
    await next.open(channel);
    await next.untilStatus(channel, 'connected');
    for (const text of texts.slice(8)) await rig.personSays(text);
    await next.messages.next((m) => m.text === texts[11], 'the last');
    expect(agent.memory.texts).toEqual(texts);
  });

  it('an answer is one message; its repeat is no second one', async () => {
    const text = `answer ${id('t')}`;
    const messageId = id('a');
    expect((await agent.say(channel, text, { messageId })).payload?.['status']).toBe('accepted');
    expect((await agent.say(channel, text, { messageId })).payload?.['status']).toBe('duplicate');
    await eventually(() => rig.person.texts.includes(text), 'the answer');
    expect((await rig.visible()).filter((shown) => shown === text)).toHaveLength(1);
  });

  it('a streamed answer grows in one message and ends as the final text', async () => {
    const tag = id('t');
    await rig.personSays(`stream ${tag}`);
    await agent.messages.next((m) => m.text === `stream ${tag}`, 'the question');
    await agent.settle();
    const messageId = id('a');
    agent.delta(channel, messageId, 1, `${tag} once`);
    await eventually(() => rig.person.texts.includes(`${tag} once`), 'the first text');
    agent.delta(channel, messageId, 2, ' upon a time');
    const ack = await agent.say(channel, `${tag} once upon a time, the end`, { messageId });
    expect(ack.payload?.['status']).toBe('accepted');
    await eventually(() => rig.person.texts.includes(`${tag} once upon a time, the end`), 'the end');
    expect(rig.person.texts.filter((shown) => shown.startsWith(tag))).toHaveLength(1);
  });

  it('a file goes out as a link to the server, and one comes in as an attachment', async () => {
    const upload = await agent.files.upload(channel, {
      filename: 'report.txt',
      content: 'the report',
      contentType: 'text/plain',
    });
    const files = [{ type: upload['file_type'], file_ref: upload['file_ref'], filename: 'report.txt' }];
    expect((await agent.say(channel, 'see attached', { files })).payload).toMatchObject({ status: 'accepted' });
    const link = await eventually(() => rig.person.seen.find((message) => message.link)?.link, 'the link');
    expect(await (await fetch(link)).text()).toBe('the report');
    const from = agent.messages.mark;
    await rig.person.sendsLink(link);
    const message = await agent.messages.next((m) => JSON.stringify(m).includes('file_ref'), 'the file', { from });
    expect(message.text).toBe('');
  });

  it('activity becomes typing', async () => {
    await rig.sawTyping();
    agent.activity(channel, { status: 'thinking' });
    await eventually(() => rig.sawTyping(), 'typing');
    agent.activity(channel, { status: 'idle' });
    await rig.person.states.next((state) => state === 'paused', 'typing to end');
  });

  it('a restart of the server is lived through on both sides', async () => {
    await rig.prosody.restart();
    await rig.personComes();
    await rig.personSays('after the restart');
    await agent.messages.next((m) => m.text === 'after the restart', 'message', { ms: 60_000 });
    await agent.untilStatus(channel, 'connected', 60_000);
    expect((await agent.say(channel, 'here again')).payload?.['status']).toBe('accepted');
    await eventually(() => rig.person.texts.includes('here again'), 'the answer');
  });

  it('a password never leaves the secret store', async () => {
    expect(await world.host.filesWith('agent secret')).toEqual([]);
    expect(world.host.logs.entries.join('\n')).not.toContain('agent secret');
  });
});

describe('TLS', () => {
  it('is used and its certificate checked for the XMPP domain: in with the authority known, not in without', async () => {
    const prosody = await Prosody.start({ tls: true });
    const jid = await prosody.account('agent', 'secret');
    const input = { jid, password: 'secret', peer_jid: await prosody.account('ada', 'secret') };
    const trying = async (service: string, env: Record<string, string>): Promise<string> => {
      const rig = new XmppRig();
      const world = await World.start(
        Object.assign(rig, { start: async () => undefined, config: () => ({ connectors: { xmpp: { service } } }) }),
        {},
        { env },
      );
      try {
        const agent = await world.agent();
        const { channel } = await agent.open();
        const payload = { flow_id: rig.flowId, input };
        const ack = await agent.request('auth.start', { channel, payload, ms: 30_000 });
        const status = String(ack.payload?.['status']);
        return status === 'failed' ? `failed: ${String(ack.payload?.['message'])}` : status;
      } finally {
        await world.end();
      }
    };
    const trusted = { NODE_EXTRA_CA_CERTS: prosody.caFile };
    expect(await trying(prosody.tlsService, trusted)).toBe('authenticated');
    expect(await trying(prosody.service, trusted)).toBe('authenticated');
    expect(await trying(prosody.tlsService, {})).toMatch(/^failed: .*certificate/);
    expect(await trying(prosody.service, {})).toMatch(/^failed: .*certificate/);
    await prosody.stop();
  });
});
