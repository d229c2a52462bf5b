import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { StoreError } from '../../src/store/store.js';
import type { StoredFile } from '../../src/files/file-store.js';
import type { SignedIn } from '../../src/targets/target.js';
import { createXmppTarget } from '../../src/targets/xmpp/index.js';
import { CutProxy } from '../support/cut-proxy.js';
import { eventually } from '../support/deadline.js';
import { ManualClock } from '../support/manual-clock.js';
import { Prosody } from '../support/prosody.js';
import { TargetRig, type OpenedAccount } from '../support/target-rig.js';
import { XmppPerson, xml } from '../support/xmpp-person.js';

const FLOW = 'xmpp_account_login';
const PASSWORD = 'pässwörd, with = and ü';
const never = new AbortController().signal;
const say = (text: string) => ({ kind: 'text', text }) as const;
/** Longer than one TCP chunk, and every character takes four bytes, so that chunks tear some apart. */
const LONG_EMOJI = '👩🏽‍🚀🙂'.repeat(1_500);

let prosody: Prosody;
let proxy: CutProxy;
let agentJid: string;
let personJid: string;
let strangerJid: string;

beforeAll(async () => {
  prosody = await Prosody.start();
  agentJid = await prosody.account('agent', PASSWORD);
  personJid = await prosody.account('ada', 'secret');
  strangerJid = await prosody.account('mallory', 'secret');
});

afterAll(() => prosody.stop());

describe('the XMPP target on a real server', () => {
  let rig: TargetRig;
  let person: XmppPerson;
  let signedIn: SignedIn;
  let account: OpenedAccount;
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'xmpp-test-'));
    proxy = await CutProxy.start(prosody.port);
    rig = newRig();
    signedIn = await rig.signIn(FLOW, { jid: agentJid, password: PASSWORD, peer_jid: personJid }).done;
    account = rig.open(accountId(), signedIn);
    person = await XmppPerson.login(prosody.port, personJid, 'secret', agentJid);
    await connected();
  });

  afterEach(async () => {
    await rig.close();
    await person.leave();
    await proxy.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const newRig = (): TargetRig =>
    new TargetRig(createXmppTarget({ service: `xmpp://127.0.0.1:${String(proxy.port)}` }), systemClock);

  let accounts = 0;
  const accountId = (): string => `acc_${String((accounts += 1))}`;

  const connected = (): Promise<unknown> =>
    eventually(() => account.state() === 'connected', 'to be connected', 20_000);
  const received = (count: number): Promise<unknown> =>
    eventually(
      () => rig.intake.received.length >= count,
      `${String(count)} messages; ${prosody.log.slice(-400)}`,
      20_000,
    );
  const texts = (): string[] => rig.intake.received.map(({ message }) => message.text);

  const storedFile = async (name: string, mimeType: string, bytes: Buffer): Promise<StoredFile> => {
    const path = join(folder, 'upload.bin');
    await writeFile(path, bytes);
    const ids = { fileRef: 'file_x', cardId: 'im.xmpp', channelId: 'cch_x', accountId: 'acc_1', sha256: '' };
    const times = { createdAt: 0, expiresAt: 1 };
    return { ...ids, ...times, fileType: 'file', filename: name, mimeType, byteSize: bytes.length, path };
  };

  it('signs in once for the proof and names who signed in', () => {
    expect(signedIn).toMatchObject({ identity: `${agentJid} ${personJid}`, accountHint: 'a•••@chat.test' });
  });

  it('tells a wrong password from everything else', async () => {
    const attempt = rig.signIn(FLOW, { jid: agentJid, password: 'wrong', peer_jid: personJid });
    await expect(attempt.done).rejects.toMatchObject({ name: 'SignInFailure', code: 'xmpp_credentials_refused' });
  });

  it('takes words byte for byte, though the wire tears every character', async () => {
    proxy.slice = 1_001;
    const words = ['hello', ' 你好 👨‍👩‍👧\n<b>&amp; "x"\t', LONG_EMOJI];
    for (const text of words) await person.says(text);
    await received(3);
    expect(texts()).toEqual(words);
    expect(rig.intake.received[0]?.message).toMatchObject({
      sender: { id: personJid },
      conversation: { id: personJid, type: 'p2p' },
    });
  });

  it('confirms receipt once the message is stored, and not before', async () => {
    rig.intake.room = new Promise(() => undefined);
    const id = await person.says('are you there?');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(person.receipts.entries).toEqual([]);
    expect(rig.intake.received).toEqual([]);
    rig.intake.room = Promise.resolve();
    proxy.cut();
    await person.receipts.next((receipt) => receipt === id, 'the receipt', { ms: 20_000 });
    expect(texts()).toEqual(['are you there?']);
  });

  it('confirms nothing that the disk refused, and has it once the disk takes it', async () => {
    rig.intake.failure = new StoreError('disk_full', 'no space');
    const id = await person.says('keep this');
    await eventually(() => account.state() !== 'connected', 'the trouble to show', 20_000);
    expect(person.receipts.entries).toEqual([]);
    rig.intake.failure = undefined;
    await person.receipts.next((receipt) => receipt === id, 'the receipt', { ms: 30_000 });
    expect(texts()).toEqual(['keep this']);
  });

  it('is not connected again for a moment at each try while the disk refuses', async () => {
    rig.intake.failure = new StoreError('disk_full', 'no space');
    const before = account.states.length;
    await person.says('keep this');
    await eventually(() => rig.intake.refused >= 3, 'two more tries', 30_000);
    const shown = account.states.slice(before);
    expect(shown.filter(({ status }) => status === 'connected')).toEqual([]);
    expect(account.state()).toMatch(/^(degraded|offline):store_disk_full$/u);
    rig.intake.failure = undefined;
    await received(1);
    await connected();
  });

  it('takes a correction as a new message, and typing as none', async () => {
    await person.types('composing');
    const id = await person.says('helo');
    await person.types('paused');
    await person.corrects(id, 'hello');
    await received(2);
    expect(texts()).toEqual(['helo', 'hello']);
  });

  it('counts strangers and does not answer them', async () => {
    const stranger = await XmppPerson.login(prosody.port, strangerJid, 'secret', agentJid);
    await stranger.says('let me in');
    await person.says('it is me');
    await received(1);
    await eventually(() => rig.intake.ignored.includes('sender_not_allowed'), 'the stranger to be counted');
    expect(texts()).toEqual(['it is me']);
    expect(stranger.receipts.entries).toEqual([]);
    await stranger.leave();
  });

  it('hears what the server gives to another client of the same account alone, and not what that one says', async () => {
    const other = await XmppPerson.login(prosody.port, agentJid, PASSWORD, personJid);
    await other.send(xml('presence', {}, xml('priority', {}, '50')));
    await eventually(async () => {
      await person.says('who hears me?');
      return other.texts.length > 0;
    }, 'the other client to be preferred');
    const said = person.sent;
    await received(said);
    await other.says('it is me who answers');
    await person.says('good');
    await received(said + 1);
    expect(texts().slice(said)).toEqual(['good']);
    await other.leave();
  });

  it('answers with words that arrive as they were, long ones cut where stanzas end', async () => {
    const text = 'x < y && "z" 👩🏽‍🚀 '.repeat(6_000);
    const parts = account.session.plan({ text, files: [] });
    expect(parts.length).toBeGreaterThan(1);
    for (const [index, part] of parts.entries()) await account.session.send(part, `long/${String(index)}`, never);
    await eventually(() => person.seen.length === parts.length, 'all parts', 20_000);
    expect(person.texts.join('')).toBe(text);
  });

  it('shows typing and takes it back', async () => {
    await account.session.typing?.show();
    await person.states.next((state) => state === 'composing', 'composing');
    await account.session.typing?.clear();
    await person.states.next((state) => state === 'paused', 'paused');
  });

  it('lets an answer grow in one message, once it knows that the client shows corrections', async () => {
    expect(await account.session.stream?.open('too early', never)).toBeUndefined();
    await person.says('tell me a story');
    await received(1);
    const opened = await eventually(() => account.session.stream?.open('Once', never), 'the client to be known');
    await account.session.stream?.update(opened.handle, 'Once upon', never);
    const receipt = await account.session.stream?.finish(opened.handle, say('Once upon a time.'), 'story/0', never);
    // Finishing again, after a crash, changes nothing.
    await account.session.stream?.finish(opened.handle, say('Once upon a time.'), 'story/0', never);
    expect(opened.visible).toBe(true);
    expect(receipt?.messageId).toBe(opened.handle);
    await eventually(() => person.texts.includes('Once upon a time.'), 'the end');
    expect(person.texts).toEqual(['Once upon a time.']);
  });

  it('carries files both ways through the server', async () => {
    const content = Buffer.from('the report 👩🏽‍🚀');
    const file = await storedFile('the report.txt', 'text/plain', content);
    await account.session.send({ kind: 'file', file }, 'file/0', never);
    await eventually(() => person.seen.length === 1, 'the link');
    const link = person.seen[0]?.link ?? '';
    const fetched = await fetch(link);
    expect(Buffer.from(await fetched.arrayBuffer())).toEqual(content);

    await person.sendsLink(link);
    await received(1);
    const [attachment] = rig.intake.received[0]?.message.attachments ?? [];
    expect(rig.intake.received[0]?.message.text).toBe('');
    expect(attachment).toMatchObject({ filename: 'the report.txt', fileType: 'file', mimeType: 'text/plain' });
    if (!attachment) throw new Error('no attachment');
    const chunks: Buffer[] = [];
    for await (const chunk of (await account.session.fetch?.(attachment, never)) ?? []) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks)).toEqual(content);
  });

  it('uploads a file before the message that may be in doubt is begun', async () => {
    const part = { kind: 'file', file: await storedFile('early.txt', 'text/plain', Buffer.from('early')) } as const;
    await account.session.prepare?.(part, never);
    expect(person.texts).toEqual([]);
    await rm(part.file.path);
    await account.session.send(part, 'early/0', never);
    await eventually(() => person.texts.length === 1, 'the link');
    expect(await (await fetch(person.texts[0] ?? '')).text()).toBe('early');
  });

  it('refuses a file that the server would not take', async () => {
    const file = await storedFile('big.bin', 'application/octet-stream', Buffer.alloc(6 * 1024 * 1024));
    await expect(account.session.send({ kind: 'file', file }, 'file/1', never)).rejects.toMatchObject({
      name: 'TargetRefusal',
      code: 'file_too_large',
    });
  });

  it('catches up with what was written while it was away, once each and in order', async () => {
    await person.says('before');
    await received(1);
    await rig.close();
    for (let n = 0; n < 120; n += 1) await person.says(`while away ${String(n)}`);
    const { intake } = rig;
    rig = newRig();
    Object.assign(rig.intake.stored, intake.stored);
    for (const [key, value] of intake.stored) rig.intake.stored.set(key, value);
    account = rig.open(`acc_${String(accounts)}`, signedIn);
    await received(120);
    await person.says('after');
    await received(121);
    expect(texts()).toEqual([...Array.from({ length: 120 }, (_, n) => `while away ${String(n)}`), 'after']);
  });

  it('does not bring up what was said before the first sign-in', async () => {
    await person.says('old words');
    await received(1);
    const second = newRig();
    const other = second.open(accountId(), signedIn);
    await eventually(() => other.state() === 'connected', 'the second account');
    await person.says('new words');
    await eventually(() => second.intake.received.length > 0, 'the new words');
    expect(second.intake.received.map(({ message }) => message.text)).toEqual(['new words']);
    await second.close();
  });

  it('comes back by itself after the server was restarted, and has what was said meanwhile', async () => {
    await person.says('one');
    await received(1);
    await prosody.restart();
    person = await XmppPerson.login(prosody.port, personJid, 'secret', agentJid);
    await person.says('two');
    await received(2);
    await connected();
    await account.session.send(say('still here'), 'restart/0', never);
    await eventually(() => person.texts.includes('still here'), 'the answer');
    expect(texts()).toEqual(['one', 'two']);
  });

  it('does not call a message sent that no proof came of; its repeat finds it in the archive and sends no second one', async () => {
    proxy.muteServer = true;
    const sending = account.session.send(say('only once'), 'once/0', never);
    sending.catch(() => undefined);
    await eventually(() => person.texts.includes('only once'), 'the message to be there');
    proxy.cut();
    await expect(sending).rejects.toMatchObject({ name: 'TransportError', effect: 'unknown' });
    proxy.muteServer = false;
    await connected();
    expect(account.session.idempotentSends).toBe(true);
    await eventually(
      async () => {
        await account.session.send(say('only once'), 'once/0', never);
        return true;
      },
      'the repeat',
      20_000,
    );
    await account.session.send(say('then this'), 'once/1', never);
    await eventually(() => person.texts.includes('then this'), 'the next message');
    expect(person.texts).toEqual(['only once', 'then this']);
  });

  it('finds a message in the archive also when the program died before the proof', async () => {
    proxy.muteServer = true;
    account.session.send(say('not twice'), 'died/0', never).catch(() => undefined);
    await eventually(() => person.texts.includes('not twice'), 'the message to be there');
    const { stored } = rig.intake;
    const closing = rig.close();
    proxy.cut();
    await closing;
    proxy.muteServer = false;
    rig = newRig();
    for (const [key, value] of stored) rig.intake.stored.set(key, value);
    account = rig.open(`acc_${String(accounts)}`, signedIn);
    await connected();
    await account.session.send(say('not twice'), 'died/0', never);
    await account.session.send(say('the next'), 'died/1', never);
    await eventually(() => person.texts.includes('the next'), 'the next message');
    expect(person.texts).toEqual(['not twice', 'the next']);
  });

  it('says that a message came back', async () => {
    const other = newRig();
    const binding = { jid: agentJid, peer: 'nobody@chat.test' };
    const nobody = other.open(accountId(), { ...signedIn, binding, identity: `${agentJid} nobody@chat.test` });
    await eventually(() => nobody.state() === 'connected', 'to be connected');
    await expect(nobody.session.send(say('hello?'), 'bounce/0', never)).rejects.toMatchObject({
      name: 'TargetRefusal',
    });
    await other.close();
  });

  it('fetches no link into this machine or its network', async () => {
    const local: Server = createServer((_request, response) => response.end('private'));
    await new Promise<void>((resolve) => local.listen(0, '127.0.0.1', resolve));
    const { port } = local.address() as AddressInfo;
    const outside = new TargetRig(createXmppTarget({ service: 'xmpps://chat.test:5223' }), new ManualClock());
    const { session } = outside.open(accountId(), signedIn);
    const attempt = (url: string) => session.fetch?.({ fileType: 'file', locator: { url } }, never);
    for (const url of [
      `http://127.0.0.1:${String(port)}/x`,
      `https://localhost:${String(port)}/x`,
      'https://192.168.1.1/x',
      'http://example.org/x',
      'https://[::ffff:127.0.0.1]/x',
    ])
      await expect(attempt(url), url).rejects.toMatchObject({ code: 'link_refused' });
    await outside.close();
    await new Promise((resolve) => local.close(resolve));
  });

  it('answers questions of other clients', async () => {
    await person.says('hi');
    await received(1);
    const answer = await account.session.send(say('hi'), 'hi/0', never);
    expect(answer.messageId).toBeDefined();
    const from = String(person.received.entries.at(-1)?.attrs['from']);
    const info = await person.ask(
      xml('iq', { type: 'get', to: from }, xml('query', { xmlns: 'http://jabber.org/protocol/disco#info' })),
    );
    expect(info.toString()).toContain('urn:xmpp:receipts');
  });
});
