import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refusals, type TelegramSimulator } from '../../../test/simulators/telegram/index.js';
import { settle } from '../../../test/support/manual-clock.js';
import type { TargetRig } from '../../../test/support/target-rig.js';
import { ADA, FLOW, never, text, TelegramRig } from '../../../test/support/telegram-rig.js';

let at: TelegramRig;
let telegram: TelegramSimulator;
let rig: TargetRig;

beforeEach(async () => {
  at = await TelegramRig.start();
  ({ telegram, rig } = at);
});

afterEach(() => at.stop());

describe('answering', () => {
  it('sends text and names the message', async () => {
    const { session } = await at.openChat();
    const receipt = await session.send(text('hello'), 'k', never);
    expect(telegram.textsIn(ADA)).toEqual(['hello']);
    expect(receipt.messageId).toBe(String(telegram.messagesIn(ADA)[0]?.messageId));
  });

  it('keeps messages of a chat a second apart', async () => {
    const { session } = await at.openChat();
    await session.send(text('one'), 'k1', never);
    const second = session.send(text('two'), 'k2', never);
    await settle();
    expect(telegram.textsIn(ADA)).toEqual(['one']);
    await at.passUntil(() => telegram.textsIn(ADA).length === 2);
    await second;
  });

  it('cuts a long text so that Telegram takes every part and nothing is lost', async () => {
    const { session } = await at.openChat();
    const long = `${'Ein Satz mit Wörtern. '.repeat(300)}\n\`\`\`ts\n${'const a = 1;\n'.repeat(200)}\`\`\`\n${'👨‍👩‍👧‍👦'.repeat(600)}`;
    const parts = session.plan({ text: long, files: [] });
    for (const part of parts) {
      const sent = session.send(part, 'k', never);
      await at.passUntil(() => telegram.countOf('sendMessage') > parts.indexOf(part), 1_000);
      await sent;
    }
    expect(telegram.textsIn(ADA).join('')).toBe(long);
  });

  it('sends no message of spaces', async () => {
    const { session } = await at.openChat();
    await expect(session.send(text(' \n'), 'k', never)).resolves.toEqual({ messageId: undefined });
    expect(telegram.countOf('sendMessage')).toBe(0);
  });

  it('waits out a short rate limit and reports a long one', async () => {
    const { session } = await at.openChat();
    telegram.faults.add('sendMessage', refusals.tooMany(3));
    const patient = session.send(text('soon'), 'k', never);
    await at.passUntil(() => telegram.textsIn(ADA).length === 1, 500);
    await patient;
    telegram.faults.add('sendMessage', refusals.tooMany(40));
    const refused = session.send(text('later'), 'k', never);
    refused.catch(() => undefined);
    await at.passUntil(() => telegram.countOf('sendMessage') === 3, 500);
    await expect(refused).rejects.toMatchObject({ code: 'rate_limited', retryable: true, retryAfterMs: 40_000 });
  });

  it('says again without formatting what the server could not parse', async () => {
    const { session } = await at.openChat();
    telegram.faults.add('sendMessage', refusals.entities);
    const sent = session.send(text('_half'), 'k', never);
    await at.passUntil(() => telegram.textsIn(ADA).length === 1, 500);
    await sent;
    expect(telegram.textsIn(ADA)).toEqual(['_half']);
  });

  it.each([
    ['blocked', refusals.blocked, { code: 'blocked', retryable: false, account: 'blocked' }],
    ['unknown chat', refusals.chatNotFound, { code: 'chat_not_found', retryable: false }],
    ['revoked token', refusals.unauthorized, { code: 'token_revoked', retryable: false, account: 'revoked' }],
    ['fault of theirs', refusals.internal, { name: 'TransportError', code: 'server_error', effect: 'unknown' }],
    ['cut before the answer', { kind: 'cutAfter' } as const, { name: 'TransportError', effect: 'unknown' }],
    ['half an answer', { kind: 'truncate' } as const, { name: 'TransportError', effect: 'unknown' }],
    [
      'gateway page',
      { kind: 'garbage', status: 502, body: '<html>' } as const,
      { code: 'gateway_error', effect: 'unknown' },
    ],
    [
      'a gateway that forbids',
      { kind: 'garbage', status: 403, body: '<html>' } as const,
      { name: 'TransportError', code: 'bad_answer', effect: 'none' },
    ],
    [
      'a gateway that finds nothing',
      { kind: 'garbage', status: 404, body: 'not found' } as const,
      { name: 'TransportError', code: 'bad_answer', effect: 'none' },
    ],
    [
      'a gateway that takes no such body',
      { kind: 'garbage', status: 413, body: '<html>' } as const,
      { code: 'file_too_large', retryable: false },
    ],
    ['something else', { kind: 'garbage', body: '[]' } as const, { code: 'bad_answer', effect: 'unknown' }],
  ])('tells apart: %s', async (_name, fault, expected) => {
    const { session } = await at.openChat();
    telegram.faults.add('sendMessage', fault);
    const failed = session.send(text('x'), 'k', never);
    await expect(failed).rejects.toMatchObject(expected);
    await failed.catch((error: unknown) => expect(inspect(error, { depth: 9 })).not.toContain('AAbbCC'));
  });

  it('knows that nothing was sent when nobody listens', async () => {
    const { session } = await at.openChat();
    await telegram.close();
    rig.runtime.wake!();
    await expect(session.send(text('x'), 'k', never)).rejects.toMatchObject({ code: 'unreachable', effect: 'none' });
  });

  it('gives up a call that hangs at its deadline', async () => {
    const { session } = await at.openChat();
    telegram.faults.add('sendMessage', { kind: 'hang' });
    const sent = session.send(text('x'), 'k', never);
    sent.catch(() => undefined);
    await telegram.until(() => telegram.countOf('sendMessage') === 1);
    await at.clock.advance(30_000);
    await expect(sent).rejects.toMatchObject({ code: 'timeout', effect: 'unknown' });
  });

  it('lets what is in flight end when the bot is signed in with a new token', async () => {
    const { session } = await at.openChat();
    telegram.faults.add('sendMessage', { kind: 'holdAfter' });
    const sent = session.send(text('in flight'), 'k', never);
    await telegram.until(() => telegram.countOf('sendMessage') === 1);
    const form = { bot_token: telegram.renewToken(), chat_id: String(ADA) };
    const again = rig.open('acc_1', await rig.signIn(FLOW, form).done);
    await telegram.until(() => again.state() === 'connected');
    telegram.release();
    await expect(sent).resolves.toMatchObject({ messageId: expect.any(String) });
    expect(telegram.world.messages.filter(({ text: words }) => words === 'in flight')).toHaveLength(1);
  });

  it('shows typing, and a failure of it harms nobody', async () => {
    const { session } = await at.openChat();
    await session.typing?.show();
    expect(telegram.world.actions).toEqual([{ chatId: ADA, action: 'typing' }]);
    telegram.faults.add('sendChatAction', refusals.internal);
    await expect(session.typing?.show()).resolves.toBeUndefined();
  });
});

describe('files to the chat', () => {
  it.each([
    ['picture.png', 'image/png', 'sendPhoto'],
    ['voice.ogg', 'audio/ogg', 'sendVoice'],
    ['song.mp3', 'audio/mpeg', 'sendAudio'],
    ['clip.mp4', 'video/mp4', 'sendVideo'],
    ['loop.gif', 'image/gif', 'sendAnimation'],
    ['my; report "v1".pdf', 'application/pdf', 'sendDocument'],
  ])('shows %s in its own way, with the caption', async (name, mime, method) => {
    const { session } = await at.openChat();
    const file = await at.storedFile(name, mime, Buffer.from('content'));
    const parts = session.plan({ text: 'see this', files: [file] });
    expect(parts).toEqual([{ kind: 'file', file, caption: 'see this' }]);
    await session.send(parts[0]!, 'k', never);
    const [message] = telegram.messagesIn(ADA);
    expect(message).toMatchObject({ method, text: 'see this' });
    expect(message?.file?.filename).toBe(name.replace(/"/g, "'"));
    expect(message?.file?.bytes.toString()).toBe('content');
  });

  it('sends a photo that Telegram does not like as a document, once', async () => {
    const { session } = await at.openChat();
    const file = await at.storedFile('banner.png', 'image/png', Buffer.from('wide'));
    telegram.faults.add('sendPhoto', refusals.photoInvalid);
    const sent = session.send({ kind: 'file', file }, 'k', never);
    await at.passUntil(() => telegram.messagesIn(ADA).length === 1, 500);
    await sent;
    expect(telegram.messagesIn(ADA).map(({ method }) => method)).toEqual(['sendDocument']);
  });

  it('sends photos beyond 10 MB as documents and refuses files beyond 50 MB before anything is sent', async () => {
    const { session } = await at.openChat();
    const big = await at.storedFile('big.jpg', 'image/jpeg', 11 * 1024 * 1024);
    await session.send({ kind: 'file', file: big }, 'k', never);
    expect(telegram.messagesIn(ADA).map(({ method }) => method)).toEqual(['sendDocument']);
    const huge = { ...big, byteSize: 50 * 1024 * 1024 + 1 };
    expect(() => session.plan({ text: '', files: [huge] })).toThrow(
      expect.objectContaining({ code: 'file_too_large' }),
    );
  });

  it('puts a text too long for a caption before the file, and loses none of it', async () => {
    const { session } = await at.openChat();
    const file = await at.storedFile('a.pdf', 'application/pdf', Buffer.from('x'));
    const parts = session.plan({ text: 'y'.repeat(1_025), files: [file] });
    expect(parts.map(({ kind }) => kind)).toEqual(['text', 'file']);
  });

  it('refuses a file that is not there any more', async () => {
    const { session } = await at.openChat();
    const file = {
      ...(await at.storedFile('a.pdf', 'application/pdf', Buffer.from('x'))),
      path: join(at.folder, 'missing'),
    };
    await expect(session.send({ kind: 'file', file }, 'k', never)).rejects.toMatchObject({ code: 'file_unavailable' });
  });
});
