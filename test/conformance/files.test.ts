import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ask } from '../support/http-client.js';
import { id, type SpecAgent } from '../support/spec-agent.js';
import { TelegramNetwork } from '../support/telegram-network.js';
import { World } from '../support/world.js';

/** Files outlive the time in which xAgent may come for them (its own wait is not known); milliseconds. */
const AT_LEAST_MS = 15 * 60_000;

describe('files through the whole product (IM Profile v2 section 5, section 5 of the protocol)', () => {
  const network = new TelegramNetwork();
  let world: World;
  let agent: SpecAgent;
  let channel: string;
  beforeAll(async () => {
    world = await World.start(network);
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

  const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * 7) % 256));

  it('a person sends a file: the message carries it with a download_url that works however it is resolved (R36)', async () => {
    network.personSendsFile(bytes, '报告.bin', 'application/octet-stream');
    const message = await agent.messages.next((m) => m.files.length > 0, 'a message with a file');
    expect(message.files).toHaveLength(1);
    const file = message.files[0] ?? {};
    expect(file).toMatchObject({ type: 'file', filename: '报告.bin', byte_size: bytes.length });
    expect(Number(file['expires_at'])).toBeGreaterThan(Date.now() + AT_LEAST_MS);
    expect(String(file['download_url'])).toContain(String(file['file_ref']));
    for (const url of agent.files.downloadUrls(file)) {
      const answer = await ask(url);
      expect([answer.status, answer.body.equals(bytes)]).toEqual([200, true]);
    }
    expect(JSON.stringify(message.packet)).not.toContain(network.token);
  });

  it('5.2: what was received stays there over a restart, and the redelivery names the same file', async () => {
    agent.ack = () => ({ kind: 'silent' });
    network.personSendsFile(bytes, 'kept.bin', 'application/octet-stream');
    const first = await agent.messages.next((m) => m.files.length > 0, 'a message with a file');
    await world.host.restart();
    const next = await world.agent({ connectorId: agent.connectorId });
    await next.open(channel);
    const again = await next.messages.next((m) => m.messageId === first.messageId, 'redelivery');
    expect(again.files[0]?.['file_ref']).toBe(first.files[0]?.['file_ref']);
    expect((await next.files.download(again.files[0] ?? {})).equals(bytes)).toBe(true);
  });

  it('an agent sends text with two files: all of it arrives, and one ack stands for the whole', async () => {
    const files = [];
    for (const name of ['one.txt', 'two.bin']) {
      const upload = await agent.files.upload(channel, {
        filename: name,
        content: Buffer.concat([Buffer.from(name), bytes]),
      });
      files.push({ type: upload['file_type'], file_ref: upload['file_ref'], filename: upload['filename'] });
    }
    const text = `with files ${id('t')}`;
    const before = network.filesOfBot().length;
    const ack = await agent.say(channel, text, { files, ms: 25_000 });
    expect(ack.payload?.['status']).toBe('accepted');
    const sent = network.filesOfBot().slice(before);
    expect(sent.map((file) => file.filename)).toEqual(['one.txt', 'two.bin']);
    expect(sent.map((file) => file.bytes.length)).toEqual([bytes.length + 7, bytes.length + 7]);
    expect((await network.visible()).filter((shown) => shown === text)).toHaveLength(1);
  });

  it('a message may be files alone', async () => {
    const upload = await agent.files.upload(channel, { filename: 'alone.txt', content: 'alone' });
    const ack = await agent.say(channel, undefined, {
      files: [{ type: 'file', file_ref: upload['file_ref'] }],
      ms: 25_000,
    });
    expect(ack.payload?.['status']).toBe('accepted');
    expect(network.filesOfBot().at(-1)?.bytes.toString()).toBe('alone');
  });

  it('the file tool sends an uploaded file with its text', async () => {
    const upload = await agent.files.upload(channel, { filename: 'tool.txt', content: 'by tool' });
    const ack = await agent.tool(channel, network.fileTool, { file_ref: upload['file_ref'], text: 'have a look' });
    expect(ack.payload).toMatchObject({ result: { status: 'sent' } });
    expect(network.filesOfBot().at(-1)?.bytes.toString()).toBe('by tool');
  });
});
