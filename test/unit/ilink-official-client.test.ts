import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PERSON, startIlinkSimulator, textItem, type Bot, type IlinkSimulator } from '../simulators/ilink/index.js';

/** The parts of the official client that speak to a server; its host is stood in for by test/support/openclaw-sdk. */
interface OfficialClient {
  getUpdates(call: Addressed & { get_updates_buf: string }): Promise<{ msgs?: Message[]; get_updates_buf?: string }>;
  sendMessage(call: Addressed & { body: object }): Promise<{ message_id?: string }>;
  getConfig(call: Addressed & { ilinkUserId: string; contextToken: string }): Promise<{ typing_ticket?: string }>;
  sendTyping(call: Addressed & { body: object }): Promise<void>;
  notifyStart(call: Addressed): Promise<{ ret?: number }>;
  notifyStop(call: Addressed): Promise<{ ret?: number }>;
  sendMessageWeixin(call: {
    to: string;
    text: string;
    opts: Addressed & { contextToken: string };
  }): Promise<{ serverMessageId?: string }>;
  sendWeixinMediaFile(call: {
    filePath: string;
    to: string;
    text: string;
    cdnBaseUrl: string;
    opts: Addressed & { contextToken: string };
  }): Promise<{ serverMessageId?: string }>;
  downloadAndDecryptBuffer(param: string, key: string, cdnBaseUrl: string, label: string): Promise<Buffer>;
  startWeixinLoginWithQr(call: object): Promise<{ qrcodeUrl?: string; sessionKey: string }>;
  waitForWeixinLogin(
    call: object,
  ): Promise<{ connected: boolean; botToken?: string; accountId?: string; userId?: string }>;
}

interface Addressed {
  readonly baseUrl: string;
  readonly token: string;
}

interface Message {
  readonly message_id?: string;
  readonly context_token?: string;
  readonly item_list?: { readonly text_item?: { readonly text?: string } }[];
}

const MODULES = ['api/api', 'messaging/send', 'messaging/send-media', 'cdn/pic-decrypt', 'auth/login-qr'] as const;

async function loadOfficialClient(): Promise<OfficialClient> {
  const root = join(process.cwd(), 'node_modules/@tencent-weixin/openclaw-weixin/dist/src');
  const modules: object[] = [];
  for (const name of MODULES) {
    const module: unknown = await import(/* @vite-ignore */ pathToFileURL(join(root, `${name}.js`)).href);
    modules.push(Object(module) as object);
  }
  return Object.assign({}, ...modules) as OfficialClient;
}

/** Where the official client signs in, whatever it is told. */
const FIXED_BASE = 'https://ilinkai.weixin.qq.com';

describe("the simulated iLink and the network's own client", () => {
  const realFetch = globalThis.fetch;
  let folder: string;
  let client: OfficialClient;
  let ilink: IlinkSimulator;
  let bot: Bot;
  let to: Addressed;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ilink-official-'));
    process.env['OPENCLAW_STATE_DIR'] = folder;
    client = await loadOfficialClient();
  });
  beforeEach(async () => {
    ilink = await startIlinkSimulator();
    bot = ilink.logins.rebind(PERSON);
    to = { baseUrl: ilink.apiBaseUrl, token: bot.token };
    return async () => {
      globalThis.fetch = realFetch;
      await ilink.close();
      // The point of it all: the simulator asks for nothing that the official client does not do.
      expect(ilink.violations).toEqual([]);
    };
  });
  afterAll(async () => {
    delete process.env['OPENCLAW_STATE_DIR'];
    await rm(folder, { recursive: true, force: true });
  });

  const conversation = async (): Promise<Addressed & { contextToken: string }> => {
    ilink.say('hello');
    const { msgs } = await client.getUpdates({ ...to, get_updates_buf: '' });
    return { ...to, contextToken: msgs?.[0]?.context_token ?? '' };
  };

  it('agree on polls, cursors and lossless ids', async () => {
    expect((await client.notifyStart(to)).ret).toBe(0);
    const entry = ilink.say('one');
    const first = await client.getUpdates({ ...to, get_updates_buf: '' });
    expect(first.msgs?.[0]).toMatchObject({
      message_id: entry['message_id'],
      item_list: [{ text_item: { text: 'one' } }],
    });
    ilink.send([textItem('two')]);
    const second = await client.getUpdates({ ...to, get_updates_buf: first.get_updates_buf ?? '' });
    expect(second.msgs?.map((message) => message.item_list?.[0]?.text_item?.text)).toEqual(['two']);
    expect((await client.notifyStop(to)).ret).toBe(0);
  });

  it('agree on what a sent text looks like, and on its id', async () => {
    const { serverMessageId } = await client.sendMessageWeixin({
      to: PERSON,
      text: 'from the official client',
      opts: await conversation(),
    });
    expect(ilink.shownTexts).toEqual(['from the official client']);
    expect(serverMessageId).toBe(ilink.phone.shown[0]?.id);
  });

  it.each(['photo.png', 'clip.mp4', 'report.pdf', 'sound.mp3'])('agree on uploading and showing %s', async (name) => {
    const bytes = randomBytes(40_000);
    const filePath = join(folder, name);
    await writeFile(filePath, bytes);
    const opts = await conversation();
    await client.sendWeixinMediaFile({ filePath, to: PERSON, text: 'see', cdnBaseUrl: ilink.cdnBaseUrl, opts });
    expect(ilink.phone.shown.map(({ kind }) => kind)[0]).toBe('text');
    expect(ilink.phone.shown[1]?.bytes?.equals(bytes)).toBe(true);
  });

  it.each(['base64Raw', 'base64Hex'] as const)('agree on media keys written as %s', async (form) => {
    const bytes = randomBytes(5_000);
    const { media } = ilink.cdn.add(bytes, form) as { media: { encrypt_query_param: string; aes_key: string } };
    const read = await client.downloadAndDecryptBuffer(
      media.encrypt_query_param,
      media.aes_key,
      ilink.cdnBaseUrl,
      'test',
    );
    expect(Buffer.from(read).equals(bytes)).toBe(true);
  });

  it('agree on typing', async () => {
    const { contextToken } = await conversation();
    const { typing_ticket } = await client.getConfig({ ...to, ilinkUserId: PERSON, contextToken });
    await client.sendTyping({ ...to, body: { ilink_user_id: PERSON, typing_ticket, status: 1 } });
    expect(ilink.phone.isTyping).toBe(true);
  });

  it('agree on a refused token', async () => {
    ilink.logins.rebind(PERSON);
    expect(await client.getUpdates({ ...to, get_updates_buf: '' })).toMatchObject({ errcode: -14 });
  });

  it('agree on a whole sign-in', async () => {
    globalThis.fetch = (input, init) =>
      realFetch(typeof input === 'string' ? input.replace(FIXED_BASE, ilink.apiBaseUrl) : input, init);
    const { qrcodeUrl, sessionKey } = await client.startWeixinLoginWithQr({});
    expect(qrcodeUrl).toBe(ilink.logins.qr.text);
    const waiting = client.waitForWeixinLogin({ sessionKey, timeoutMs: 20_000 });
    ilink.logins.scan();
    await ilink.until(() => ilink.logins.qr.told?.['status'] === 'scaned');
    const fresh = ilink.logins.confirm(PERSON);
    expect(await waiting).toMatchObject({
      connected: true,
      botToken: fresh.token,
      accountId: fresh.botId,
      userId: PERSON,
    });
  });
});
