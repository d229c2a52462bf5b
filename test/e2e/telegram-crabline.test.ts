import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CrablineRig } from '../support/crabline-rig.js';
import { eventually } from '../support/deadline.js';
import { id, type SpecAgent } from '../support/spec-agent.js';
import { World } from '../support/world.js';

/** The limit of one Telegram message, in UTF-16 units. */
const TELEGRAM_LIMIT = 4096;

describe("the whole product against a third party's Telegram", () => {
  const rig = new CrablineRig();
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

  it('binding by a pairing code: the link was shown, Start bound the chat, the code did not reach the agent', async () => {
    await rig.personSays('first words');
    await agent.messages.next((m) => m.text === 'first words', 'message');
    expect(agent.messages.entries.map((m) => m.text)).toEqual(['first words']);
  });

  it('what the person writes arrives in order, byte for byte, across a restart of the host', async () => {
    const texts = Array.from({ length: 12 }, (_, i) => ` ${i} 你好 👩🏽‍🚀\n<b>& "x"`);
    for (const text of texts.slice(0, 6)) await rig.personSays(text);
    await agent.messages.next((m) => m.text === texts[5], 'the sixth');
    await world.host.restart();
    for (const text of texts.slice(6)) await rig.personSays(text);
    const next = await world.agent({ connectorId: agent.connectorId });
    await next.open(channel);
    await next.messages.next((m) => m.text === texts[11], 'the last');
    expect(agent.messages.entries.map((m) => m.text)).toEqual(texts.slice(0, 6));
    // A kill can come between the last acknowledgment and the disk: that message comes again, under its own id.
    const known = new Set(agent.messages.entries.map((m) => m.messageId));
    const fresh = next.messages.entries.filter((m) => !known.has(m.messageId));
    expect(fresh.map((m) => m.text)).toEqual(texts.slice(6));
  });

  it('an answer is one message; its repeat is no second one', async () => {
    const text = `answer ${id('t')}`;
    const messageId = id('a');
    expect((await agent.say(channel, text, { messageId })).payload?.['status']).toBe('accepted');
    expect((await agent.say(channel, text, { messageId })).payload?.['status']).toBe('duplicate');
    expect((await rig.visible()).filter((shown) => shown === text)).toHaveLength(1);
  });

  it('a streamed answer grows in one message and ends as the final text', async () => {
    const messageId = id('a');
    const tag = id('t');
    const from = rig.calls.mark;
    agent.delta(channel, messageId, 1, `${tag} once`);
    await rig.calls.next((call) => String(call.body['text']).startsWith(tag), 'the first text', { from });
    agent.delta(channel, messageId, 2, ' upon a time');
    const ack = await agent.say(channel, `${tag} once upon a time, the end`, { messageId });
    expect(ack.payload?.['status']).toBe('accepted');
    expect((await rig.visible()).filter((shown) => shown.startsWith(tag))).toEqual([
      `${tag} once upon a time, the end`,
    ]);
  });

  it('a text beyond one message is cut where the emulator takes it, and joins to the text', async () => {
    const before = (await rig.visible()).length;
    const text = Array.from({ length: 700 }, (_, i) => `word${i} 👨‍👩‍👧‍👦`).join(' ');
    const ack = await agent.say(channel, text, { ms: 30_000 });
    expect(ack.payload?.['status']).toBe('accepted');
    const parts = (await rig.visible()).slice(before);
    expect(parts.join('')).toBe(text);
    for (const part of parts) expect(part.length).toBeLessThanOrEqual(TELEGRAM_LIMIT);
  });

  it('a file goes out as a document', async () => {
    const upload = await agent.files.upload(channel, {
      filename: 'report.txt',
      content: 'the report',
      contentType: 'text/plain',
    });
    const from = rig.calls.mark;
    const ack = await agent.say(channel, 'see attached', {
      files: [{ type: upload['file_type'], file_ref: upload['file_ref'], filename: 'report.txt' }],
    });
    expect(ack.payload).toMatchObject({ status: 'accepted' });
    expect(rig.calls.since(from).map((call) => call.method)).toContain('senddocument');
  });

  it('activity becomes typing and stops by itself', async () => {
    await rig.sawTyping();
    agent.activity(channel, { status: 'thinking' });
    await eventually(() => rig.sawTyping(), 'typing');
    agent.activity(channel, { status: 'idle' });
  });

  it('a stranger who finds the bot does not reach the agent', async () => {
    await rig.personSays('let me in', { id: 666_666, name: 'Mallory' });
    await rig.personSays('the owner speaks');
    await agent.messages.next((m) => m.text === 'the owner speaks', 'message');
    expect(agent.messages.entries.map((m) => m.text)).toEqual(['the owner speaks']);
  });

  it('a second poller of the bot is seen, survived and recovered from (B11)', async () => {
    const { ask } = await import('../support/http-client.js');
    await ask(`${rig.apiRoot}/bot${rig.botToken}/getUpdates`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ timeout: 0, offset: 0 }),
    });
    await rig.personSays('after the intruder');
    await agent.messages.next((m) => m.text === 'after the intruder', 'message', { ms: 90_000 });
  }, 100_000);
});
