import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StoredFile } from '../../src/files/file-store.js';
import { createTelegramTarget } from '../../src/targets/telegram/index.js';
import type { WayOut } from '../../src/base/proxy/way-out.js';
import { startTelegramSimulator, type TelegramSimulator } from '../simulators/telegram/index.js';
import { ManualClock } from './manual-clock.js';
import { TargetRig, type OpenedAccount } from './target-rig.js';

export const TOKEN = '4242:AAbbCCddEEffGGhhIIjjKKllMMnnOOppQQr';
export const FLOW = 'telegram_bot_binding';
export const ADA = 1001;
export const BOB = 1002;
export const GROUP = -1007;
/** A signal that is never aborted. */
export const never = new AbortController().signal;

export const text = (words: string) => ({ kind: 'text', text: words }) as const;

/** The Telegram target on a simulated Telegram, both on one manual clock. */
export class TelegramRig {
  readonly clock: ManualClock;
  readonly telegram: TelegramSimulator;
  readonly rig: TargetRig;
  readonly folder: string;

  private constructor(telegram: TelegramSimulator, clock: ManualClock, folder: string, wayOut?: WayOut) {
    this.clock = clock;
    this.telegram = telegram;
    this.folder = folder;
    this.rig = new TargetRig(createTelegramTarget({ apiRoot: telegram.apiRoot }), clock, wayOut);
  }

  /** @param wayOutOn how Telegram is reached; straight when left out */
  static async start(wayOutOn?: (clock: ManualClock) => WayOut): Promise<TelegramRig> {
    const clock = new ManualClock();
    const telegram = await startTelegramSimulator({ token: TOKEN, clock });
    return new TelegramRig(telegram, clock, await mkdtemp(join(tmpdir(), 'telegram-test-')), wayOutOn?.(clock));
  }

  async stop(): Promise<void> {
    await this.rig.close();
    await this.telegram.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Binds a chat and waits until its bot is polled. */
  async openChat(chatId = ADA, accountId = 'acc_1'): Promise<OpenedAccount> {
    if (chatId > 0) this.telegram.start(chatId);
    const signedIn = await this.rig.signIn(FLOW, { bot_token: TOKEN, chat_id: String(chatId) }).done;
    const account = this.rig.open(accountId, signedIn);
    await this.passUntil(() => this.telegram.updates.polling);
    return account;
  }

  /** Lets real I/O and the clock go on together until something is true. */
  async passUntil(condition: () => boolean, stepMs = 100): Promise<void> {
    await this.telegram.until(() => {
      if (condition()) return true;
      void this.clock.advance(stepMs);
      return false;
    });
  }

  async storedFile(name: string, mimeType: string, bytes: Buffer | number): Promise<StoredFile> {
    const path = join(this.folder, 'upload.bin');
    const content = typeof bytes === 'number' ? Buffer.alloc(bytes, 1) : bytes;
    await writeFile(path, content);
    const ids = { fileRef: 'file_x', cardId: 'im.telegram', channelId: 'cch_x', accountId: 'acc_1', sha256: '' };
    const times = { createdAt: 0, expiresAt: 1 };
    return { ...ids, ...times, fileType: 'file', filename: name, mimeType, byteSize: content.length, path };
  }
}
