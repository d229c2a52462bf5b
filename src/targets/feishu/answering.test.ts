import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FeishuSimulator, Fault } from '../../../test/simulators/feishu/index.js';
import { FeishuRig, never, OWNER, text } from '../../../test/support/feishu-rig.js';
import { TransportError } from '../../base/errors.js';
import type { TargetSession } from '../target.js';

const CREATE = 'POST im/v1/messages';

let at: FeishuRig;
let feishu: FeishuSimulator;
let session: TargetSession;

beforeEach(async () => {
  at = await FeishuRig.start();
  ({ feishu } = at);
  ({ session } = await at.openAccount());
});

afterEach(() => at.stop());

const refused = (code: number, more: Partial<Extract<Fault, { kind: 'refuse' }>> = {}): Fault => ({
  kind: 'refuse',
  code,
  ...more,
});
const send = (words: string, key = 'key'): ReturnType<TargetSession['send']> =>
  at.settled(session.send(text(words), key, never));

describe('text', () => {
  it('goes to the owner, under the key of its part', async () => {
    const receipt = await send('hello 👋', 'part-key');
    expect(feishu.world.messages).toMatchObject([
      { receiveId: OWNER, receiveIdType: 'open_id', type: 'text', uuid: 'part-key', messageId: receipt.messageId },
    ]);
    expect(feishu.world.visible()).toEqual(['hello 👋']);
  });

  it('is one message when its answer was lost and it is sent again', async () => {
    feishu.fail(CREATE, { kind: 'cutAfter' });
    await expect(send('once')).rejects.toMatchObject({ name: 'TransportError', effect: 'unknown' });
    await send('once');
    expect(feishu.world.visible()).toEqual(['once']);
    expect(session).toMatchObject({ idempotentSends: true, idempotentForMs: 3_000_000 });
  });

  it('of spaces alone is not sent, because Feishu takes none', async () => {
    expect(await send(' \n ')).toEqual({ messageId: undefined });
    expect(feishu.world.messages).toEqual([]);
  });

  it('with half a surrogate pair is mended', async () => {
    await send('a\ud83d');
    expect(feishu.world.visible()).toEqual(['a\ufffd']);
  });

  it('goes again with a fresh token when the old one is no longer taken, and only once', async () => {
    await send('one', 'k1');
    feishu.expireTokens();
    await send('two', 'k2');
    expect(feishu.world.visible()).toEqual(['one', 'two']);
    feishu.fail(CREATE, refused(99991663, { status: 401 }), refused(99991663, { status: 401 }));
    await expect(send('three', 'k3')).rejects.toMatchObject({ code: 'token_refused', retryable: true });
  });
});

describe('refusals', () => {
  it('the rate limit is worth another try, after the time that Feishu names, at either HTTP status', async () => {
    for (const status of [429, 400]) {
      feishu.fail(CREATE, refused(99991400, { status, resetS: 7 }));
      const failure = session.send(text('x'), `k${status}`, never);
      await expect(at.settled(failure)).rejects.toMatchObject({
        code: 'rate_limited',
        retryable: true,
        retryAfterMs: 7_000,
      });
    }
    // Nothing is sent to this person meanwhile.
    const waiting = session.send(text('y'), 'k', never);
    await at.clock.advance(6_000);
    expect(feishu.countOf(CREATE)).toBe(2);
    await at.settled(waiting);
    expect(feishu.world.visible()).toEqual(['y']);
  });

  it.each([
    [230020, 'rate_limited', true],
    [230049, 'being_sent', true],
    [230101, 'recipient_unavailable', true],
    [230002, 'recipient_unavailable', false],
    [230013, 'recipient_unavailable', false],
    [230025, 'text_too_long', false],
    [99991672, 'permission_missing', false],
    [424242, 'feishu_424242', false],
  ])('%i is %s', async (number, code, retryable) => {
    feishu.fail(CREATE, refused(number));
    await expect(send('x')).rejects.toMatchObject({ name: 'TargetRefusal', code, retryable });
  });

  it('a person who stops the bot takes it offline until a message goes through again', async () => {
    const account = await at.openAccount(feishu.addApp(OWNER));
    feishu.fail(CREATE, refused(230053));
    await expect(at.settled(account.session.send(text('x'), 'k', never))).rejects.toMatchObject({ account: 'blocked' });
    expect(account.state()).toBe('offline:blocked');
    await at.settled(account.session.send(text('y'), 'k2', never));
    expect(account.state()).toBe('connected');
  });

  it('a person who stopped the bot and writes to it is reachable again', async () => {
    const account = await at.openAccount(feishu.addApp(OWNER));
    feishu.fail(CREATE, refused(230053));
    await expect(at.settled(account.session.send(text('x'), 'k', never))).rejects.toMatchObject({ account: 'blocked' });
    feishu.say(OWNER, 'here I am again');
    await at.until(() => account.state() === 'connected');
  });

  it.each<[string, Fault, object]>([
    ['cut off before the call', { kind: 'cutBefore' }, { effect: 'unknown' }],
    ['answered with a page', { kind: 'garbage' }, { code: 'server_error', effect: 'unknown' }],
  ])('a call %s says so, and nothing of what came', async (_name, fault, expected) => {
    feishu.fail(CREATE, fault);
    const failure: unknown = await send('x').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TransportError);
    expect(failure).toMatchObject(expected);
    expect(String(failure)).not.toMatch(/secret|http|cli_/);
  });
});

describe('files', () => {
  it('a picture is a picture, anything else a file of its kind', async () => {
    const picture = await at.storedFile('a b"ö.png', 'image/png', Buffer.from('png'), 'image');
    await at.settled(session.send({ kind: 'file', file: picture }, 'k1', never));
    const document = await at.storedFile('report.pdf', 'application/pdf', Buffer.from('pdf'));
    await at.settled(session.send({ kind: 'file', file: document }, 'k2', never));
    expect(feishu.world.visible()).toEqual(['[image a b%22ö.png]', '[file report.pdf]']);
    const [image, file] = [...feishu.world.uploads.values()];
    expect(image?.bytes.toString()).toBe('png');
    expect(file).toMatchObject({ fields: { file_type: 'pdf', file_name: 'report.pdf' } });
  });

  it('a picture above 10 MB goes as a file; beyond 30 MB nothing goes', async () => {
    const big = await at.storedFile('big.png', 'image/png', 10 * 1024 * 1024 + 1, 'image');
    await at.settled(session.send({ kind: 'file', file: big }, 'k', never));
    expect(feishu.world.visible()).toEqual(['[file big.png]']);
    const huge = { ...big, byteSize: 30 * 1024 * 1024 + 1 };
    expect(() => session.plan({ text: '', files: [huge] })).toThrow('30 MB');
  });

  it('a picture that Feishu does not take as one goes as a file', async () => {
    feishu.fail('POST im/v1/images', refused(234001));
    const file = await at.storedFile('odd.webp', 'image/webp', Buffer.from('x'), 'image');
    await at.settled(session.send({ kind: 'file', file }, 'k', never));
    expect(feishu.world.visible()).toEqual(['[file odd.webp]']);
  });

  it('an upload that breaks has shown nothing, so that it may be repeated', async () => {
    const file = await at.storedFile('a.pdf', 'application/pdf', Buffer.from('x'));
    feishu.fail('POST im/v1/files', { kind: 'cutAfter' });
    const failure = at.settled(session.send({ kind: 'file', file }, 'k', never));
    await expect(failure).rejects.toMatchObject({ name: 'TransportError', effect: 'none' });
    const gone = { ...file, path: `${file.path}-gone` };
    const missing = at.settled(session.send({ kind: 'file', file: gone }, 'k', never));
    await expect(missing).rejects.toMatchObject({ code: 'file_unavailable' });
  });

  it('of people are fetched from their message, as streams', async () => {
    const messageId = feishu.write(OWNER, 'file', { file_key: 'fk', file_name: 'notes.txt' });
    feishu.world.resources.set(`${messageId} fk`, Buffer.from('the notes'));
    await at.until(() => at.rig.intake.received.length === 1);
    const [attachment] = at.rig.intake.received[0]?.message.attachments ?? [];
    expect(attachment).toMatchObject({ fileType: 'file', filename: 'notes.txt' });
    const chunks: Buffer[] = [];
    for await (const chunk of await session.fetch!(attachment!, never)) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).toString()).toBe('the notes');
    expect(feishu.calls.at(-1)?.query).toEqual({ type: 'file' });
    feishu.world.resources.clear();
    await expect(session.fetch!(attachment!, never)).rejects.toMatchObject({ code: 'file_gone', retryable: false });
  });

  it('beyond 100 MB are not taken, however they announce themselves', async () => {
    const messageId = feishu.write(OWNER, 'file', { file_key: 'fk', file_name: 'huge.bin' });
    feishu.world.resources.set(`${messageId} fk`, Buffer.alloc(100 * 1024 * 1024 + 1));
    await at.until(() => at.rig.intake.received.length === 1);
    const [attachment] = at.rig.intake.received[0]?.message.attachments ?? [];
    await expect(session.fetch!(attachment!, never)).rejects.toMatchObject({ code: 'file_too_large' });
  });
});
