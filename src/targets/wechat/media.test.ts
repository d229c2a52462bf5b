import { buffer } from 'node:stream/consumers';
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { faults, textItem, type IlinkSimulator, type KeyForm } from '../../../test/simulators/ilink/index.js';
import { isOpaque, never, WechatRig } from '../../../test/support/wechat-rig.js';
import type { FileType } from '../../protocol/index.js';
import type { RemoteAttachment, TargetSession } from '../target.js';

let at: WechatRig;
let ilink: IlinkSimulator;
let session: TargetSession;

beforeEach(async () => {
  at = await WechatRig.start();
  ({ ilink } = at);
  ({ session } = await at.openConversation());
});

afterEach(() => at.stop());

const upload = async (name: string, fileType: FileType, bytes: Buffer) => {
  const file = await at.storedFile(name, fileType, bytes);
  const [part] = session.plan({ text: '', files: [file] });
  return at.passing(session.send(part!, `key-${name}`, never));
};

const lastAttachment = async (count: number): Promise<RemoteAttachment> => {
  await at.received(count);
  return at.rig.intake.received[count - 1]!.message.attachments[0]!;
};

const download = async (attachment: RemoteAttachment) => buffer(await at.passing(session.fetch!(attachment, never)));

describe('sending a file', () => {
  it.each([
    ['image', 'image', 'photo.png'],
    ['video', 'video', 'clip.mp4'],
    ['file', 'file', 'report 1.pdf'],
    ['audio', 'file', 'voice.mp3'],
  ] as const)('%s is shown as %s, decrypted on the phone to the same bytes', async (fileType, shownAs, name) => {
    const bytes = randomBytes(70_001);
    await upload(name, fileType, bytes);
    const shown = ilink.phone.shown.at(-1);
    expect(shown?.kind).toBe(shownAs);
    expect(shown?.bytes?.equals(bytes)).toBe(true);
    if (shownAs === 'file') expect(shown?.name).toBe(name);
  });

  it.each([1, 15, 16, 17, 32])('of %i bytes gets its padding right', async (size) => {
    await upload('small.bin', 'file', randomBytes(size));
    expect(ilink.phone.shown.at(-1)?.bytes?.length).toBe(size);
  });

  it('goes to the CDN by parameter where the server gives no full URL', async () => {
    ilink.cdn.tellsFullUrl = false;
    await upload('a.bin', 'file', randomBytes(100));
    expect(ilink.phone.shown).toHaveLength(1);
  });

  it('twice with the same content opens, though the CDN kept the first', async () => {
    ilink.cdn.keepsFirst = true;
    const bytes = randomBytes(333);
    await upload('one.bin', 'file', bytes);
    await upload('two.bin', 'file', bytes);
    expect(ilink.phone.shown.map((shown) => shown.bytes?.equals(bytes))).toEqual([true, true]);
  });

  it.each([
    ['HTTP 500', faults.status(500)],
    ['HTTP 429, of a gateway that is asked too often', faults.status(429)],
    ['HTTP 408', faults.status(408)],
    ['a cut', { kind: 'cutBefore' }],
    ['no x-encrypted-param', { kind: 'answer', body: {} }],
  ] as const)('is tried again with a fresh URL after %s, and shown once', async (_name, fault) => {
    ilink.faults.add('upload', fault, 2);
    await upload('a.bin', 'file', randomBytes(100));
    expect(ilink.callsOf('getuploadurl')).toHaveLength(3);
    expect(ilink.phone.shown).toHaveLength(1);
  });

  it('that can not be uploaded leaves nothing in doubt', async () => {
    ilink.faults.add('upload', faults.status(503), 9);
    await expect(upload('a.bin', 'file', randomBytes(9))).rejects.toMatchObject({
      name: 'TransportError',
      effect: 'none',
    });
    expect(ilink.callsOf('sendmessage')).toHaveLength(0);
  });

  it('refused by the CDN is refused', async () => {
    ilink.faults.add('upload', faults.status(413));
    await expect(upload('a.bin', 'file', randomBytes(9))).rejects.toMatchObject({ code: 'media_refused' });
  });

  it('names the conversation where the account wants that, once', async () => {
    ilink.faults.add('getuploadurl', faults.ret(-2, 'context_token required'));
    await upload('a.bin', 'file', randomBytes(9));
    const asked = ilink.callsOf('getuploadurl').map(({ body }) => body['context_token']);
    expect(asked).toEqual([undefined, ilink.phone.contextToken]);
  });

  it('refused for the account says nothing about the right to reply', async () => {
    ilink.faults.add('getuploadurl', faults.ret(-1), 9);
    await expect(upload('a.bin', 'file', randomBytes(9))).rejects.toMatchObject({ code: 'media_refused' });
    expect(ilink.callsOf('getuploadurl')).toHaveLength(2);
    expect(session.replyWindow?.()?.remaining).toBe(10);
  });

  it('does not go to a host that is not trusted', async () => {
    ilink.faults.add('getuploadurl', {
      kind: 'answer',
      body: { ret: 0, upload_full_url: 'https://collector.example/upload' },
    });
    await expect(upload('a.bin', 'file', randomBytes(9))).rejects.toMatchObject({ code: 'untrusted_host' });
  });

  it('that is gone from this machine is refused, not in doubt', async () => {
    const file = await at.storedFile('gone.bin', 'file', randomBytes(9));
    await rm(file.path);
    await expect(at.passing(session.send({ kind: 'file', file }, 'k', never))).rejects.toMatchObject({
      code: 'file_unavailable',
    });
  });

  it('above the limit is refused before anything is read', async () => {
    const file = { ...(await at.storedFile('big.bin', 'file', randomBytes(1))), byteSize: 101 * 1024 * 1024 };
    expect(() => session.plan({ text: 'see this', files: [file] })).toThrow('larger than WeChat takes');
  });

  it('comes after its caption, each by itself', async () => {
    const file = await at.storedFile('a.png', 'image', randomBytes(9));
    for (const [index, part] of session.plan({ text: 'look', files: [file] }).entries()) {
      await at.passing(session.send(part, `k${index}`, never));
    }
    expect(ilink.shownTexts).toEqual(['look', '[image]']);
  });
});

describe('receiving a file', () => {
  it.each<KeyForm>(['hexField', 'base64Raw', 'base64Hex', 'none'])('reads the key as %s', async (form) => {
    const bytes = randomBytes(50_000);
    ilink.sendImage(bytes, form);
    const attachment = await lastAttachment(2);
    expect(attachment.fileType).toBe('image');
    expect((await download(attachment)).equals(bytes)).toBe(true);
  });

  it('keeps name and size, and hides where and how it lies', async () => {
    ilink.sendFile(randomBytes(321), 'bericht.pdf');
    const attachment = await lastAttachment(2);
    expect(attachment).toMatchObject({ fileType: 'file', filename: 'bericht.pdf', byteSize: 321 });
    expect(isOpaque(attachment.locator)).toBe(true);
  });

  it('gives a voice message as words and as sound', async () => {
    const bytes = randomBytes(400);
    ilink.send([{ type: 3, voice_item: { ...ilink.cdn.add(bytes, 'base64Raw'), text: 'call me', playtime: 900 } }]);
    const attachment = await lastAttachment(2);
    expect(at.texts[1]).toBe('call me');
    expect(attachment.fileType).toBe('audio');
    expect((await download(attachment)).equals(bytes)).toBe(true);
  });

  it('takes quoted media only when the message has none itself', async () => {
    const quoted = { type: 2, image_item: ilink.cdn.add(randomBytes(9), 'hexField') };
    ilink.send([textItem('this one?', { ref_msg: { message_item: quoted } })]);
    const own = { type: 4, file_item: { ...ilink.cdn.add(randomBytes(9), 'base64Hex'), file_name: 'x' } };
    ilink.send([textItem('that one', { ref_msg: { message_item: quoted } }), own]);
    await at.received(3);
    expect(at.texts.slice(1)).toEqual(['> [image]\nthis one?', '> [image]\nthat one']);
    const types = at.rig.intake.received.map(({ message }) => message.attachments.map(({ fileType }) => fileType));
    expect(types.slice(1)).toEqual([['image'], ['file']]);
  });

  it('falls back to the thumbnail', async () => {
    const { media, aeskey } = ilink.cdn.add(Buffer.from('thumb'), 'hexField');
    ilink.send([{ type: 2, image_item: { thumb_media: media, aeskey } }]);
    expect((await download(await lastAttachment(2))).toString()).toBe('thumb');
  });

  it.each([
    ['a cut', { kind: 'truncate' }, {}],
    ['HTTP 500', faults.status(500), { effect: 'none' }],
    ['gone', faults.status(404), { code: 'media_gone', retryable: false }],
    ['asked too often', faults.status(429), { code: 'http_429', effect: 'none' }],
    ['led elsewhere', faults.redirect('https://portal.example/'), { code: 'untrusted_host', retryable: true }],
  ] as const)('fails as what it is: %s', async (_name, fault, error) => {
    ilink.sendFile(randomBytes(4_000), 'a.bin');
    const attachment = await lastAttachment(2);
    ilink.faults.add('download', fault);
    await expect(download(attachment)).rejects.toMatchObject(error);
    expect((await download(attachment)).length).toBe(4_000);
  });

  it('fails with a wrong key and does not hand on cipher', async () => {
    const { media } = ilink.cdn.add(randomBytes(4_000), 'hexField');
    ilink.send([{ type: 2, image_item: { media, aeskey: 'ab'.repeat(16) } }]);
    await expect(download(await lastAttachment(2))).rejects.toThrow();
    ilink.send([{ type: 2, image_item: { media, aeskey: 'not a key' } }]);
    await expect(download(await lastAttachment(3))).rejects.toMatchObject({ code: 'media_unreadable' });
  });

  it('checks the host of every redirect', async () => {
    ilink.sendFile(randomBytes(10), 'a.bin');
    const attachment = await lastAttachment(2);
    ilink.faults.add('download', faults.redirect('http://169.254.169.254/latest'));
    await expect(download(attachment)).rejects.toMatchObject({ code: 'untrusted_host' });
    ilink.faults.add('download', faults.redirect('https://'));
    await expect(download(attachment)).rejects.toMatchObject({ code: 'untrusted_host' });
    ilink.faults.add('download', faults.redirect('/c2c/download'), 9);
    await expect(download(attachment)).rejects.toMatchObject({ code: 'untrusted_host' });
    expect(ilink.violations).toEqual([]);
  });

  it('does not go to a foreign full URL, but knows the CDN by itself', async () => {
    const bytes = randomBytes(64);
    const { media, aeskey } = ilink.cdn.add(bytes, 'hexField') as { media: object; aeskey: string };
    const full_url = 'http://10.0.0.1/secret';
    ilink.send([{ type: 2, image_item: { media: { ...media, full_url }, aeskey } }]);
    expect((await download(await lastAttachment(2))).equals(bytes)).toBe(true);
    ilink.send([{ type: 2, image_item: { media: { full_url }, aeskey } }]);
    await expect(download(await lastAttachment(3))).rejects.toMatchObject({ code: 'untrusted_host' });
  });

  it('does not begin with what is said to be too large', async () => {
    const file_item = { ...ilink.cdn.add(randomBytes(9), 'base64Hex'), file_name: 'x', len: String(101 * 1024 * 1024) };
    ilink.send([{ type: 4, file_item }]);
    await expect(download(await lastAttachment(2))).rejects.toMatchObject({ code: 'file_too_large' });
  });

  it('of an earlier sign-in is gone', async () => {
    await expect(
      download({ fileType: 'image', locator: 'c2VhbGVkIHVuZGVyIGFub3RoZXIga2V5IGFsdG9nZXRoZXI=' }),
    ).rejects.toMatchObject({ code: 'media_gone' });
  });
});
