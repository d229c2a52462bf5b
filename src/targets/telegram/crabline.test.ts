import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCrablineServer } from '@openclaw/crabline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FLOW, never, text } from '../../../test/support/telegram-rig.js';
import { TargetRig } from '../../../test/support/target-rig.js';
import { systemClock } from '../../base/clock.js';
import { createTelegramTarget } from './index.js';

/**
 * A second opinion by somebody else's emulator of the Bot API. It has no getChat, no drafts and no files to fetch, so that
 * what stands here also shows how the connector gets along without them.
 */
const CHAT = 5001;
const UNTIL_MS = 8_000;

let server: Awaited<ReturnType<typeof startTelegram>>;
let rig: TargetRig;
let folder: string;

async function startTelegram(recorderPath: string) {
  const started = await startCrablineServer({ channel: 'telegram', host: '127.0.0.1', port: 0, recorderPath });
  return { close: () => started.close(), manifest: started.manifest };
}

async function inject(message: Record<string, unknown>): Promise<void> {
  const { endpoints, adminToken } = server.manifest;
  const response = await fetch(endpoints.adminInboundUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-crabline-admin-token': adminToken },
    body: JSON.stringify({ chatId: CHAT, fromId: CHAT, ...message }),
  });
  expect(response.ok).toBe(true);
}

async function until(condition: () => boolean): Promise<void> {
  await expect.poll(condition, { timeout: UNTIL_MS, interval: 10 }).toBe(true);
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crabline-'));
  server = await startTelegram(join(folder, 'telegram.jsonl'));
  rig = new TargetRig(createTelegramTarget({ apiRoot: server.manifest.endpoints.apiRoot }), systemClock);
});

afterEach(async () => {
  await rig.close();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

describe('against an independent emulator', { timeout: 20_000 }, () => {
  it('binds by chat id, receives and answers', async () => {
    const signedIn = await rig.signIn(FLOW, { bot_token: server.manifest.botToken, chat_id: String(CHAT) }).done;
    const account = rig.open('acc_1', signedIn);
    await inject({ text: 'hello 👨‍👩‍👧' });
    await until(() => rig.intake.received.length === 1 && account.state() === 'connected');
    expect(rig.intake.textsOf('acc_1')).toEqual(['hello 👨‍👩‍👧']);
    const receipt = await account.session.send(text('hello back'), 'k', never);
    expect(receipt.messageId).toMatch(/^\d+$/);
    await account.session.typing?.show();
  });

  it('binds by pairing link', async () => {
    const attempt = rig.signIn(FLOW, { bot_token: server.manifest.botToken });
    await until(() => attempt.progress.length > 0);
    const [shown] = attempt.progress;
    const link = new URL(shown?.status === 'pending' && shown.qr ? shown.qr.text : '');
    await inject({ text: `/start ${link.searchParams.get('start') ?? ''}` });
    expect((await attempt.done).binding).toMatchObject({ chatId: CHAT, ownerId: CHAT });
  });

  it('refuses a token the server does not know', async () => {
    const attempt = rig.signIn(FLOW, { bot_token: '424242:not-the-token', chat_id: '1' });
    await expect(attempt.done).rejects.toMatchObject({ code: 'telegram_token_refused' });
  });

  it('streams by editing where there are no drafts, into one message', async () => {
    const signedIn = await rig.signIn(FLOW, { bot_token: server.manifest.botToken, chat_id: String(CHAT) }).done;
    const { session } = rig.open('acc_1', signedIn);
    const opened = await session.stream?.open('Hel', never);
    expect(opened?.visible).toBe(true);
    const receipt = await session.stream?.finish(opened?.handle ?? '', text('Hello'), 'k', never);
    expect(`message:${receipt?.messageId ?? ''}`).toBe(opened?.handle);
  });

  it('sees that another program polls', async () => {
    const signedIn = await rig.signIn(FLOW, { bot_token: server.manifest.botToken, chat_id: String(CHAT) }).done;
    const account = rig.open('acc_1', signedIn);
    await inject({ text: 'up' });
    await until(() => account.state() === 'connected');
    const { endpoints, botToken } = server.manifest;
    await until(() => rig.intake.received.length === 1);
    const poll = `${endpoints.apiRoot}/bot${botToken}/getUpdates?timeout=0`;
    await expect
      .poll(() => fetch(poll).then(() => account.state()), { timeout: UNTIL_MS, interval: 50 })
      .toBe('degraded:conflict');
  });
});
