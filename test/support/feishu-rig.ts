import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { WayOut } from '../../src/base/proxy/way-out.js';
import type { FileType } from '../../src/protocol/index.js';
import type { StoredFile } from '../../src/files/file-store.js';
import type { SignedIn } from '../../src/targets/target.js';
import { createFeishuTarget, type FeishuOptions } from '../../src/targets/feishu/index.js';
import { startFeishuSimulator, type App, type FeishuSimulator } from '../simulators/feishu/index.js';
import { ManualClock } from './manual-clock.js';
import { TargetRig, type OpenedAccount } from './target-rig.js';

export const FLOW = 'feishu_qr_create_app';
export const OWNER = 'ou_owner';
export const STRANGER = 'ou_stranger';
/** A signal that is never aborted. */
export const never = new AbortController().signal;

export const text = (words: string) => ({ kind: 'text', text: words }) as const;

/** The Feishu target on a simulated Feishu, both on one manual clock. */
export class FeishuRig {
  readonly rig: TargetRig;

  private constructor(
    readonly feishu: FeishuSimulator,
    readonly lark: FeishuSimulator,
    readonly clock: ManualClock,
    readonly folder: string,
    options: Partial<FeishuOptions>,
    wayOut?: WayOut,
  ) {
    const target = createFeishuTarget({ ...urlsOf(feishu), lark: urlsOf(lark), ...options });
    this.rig = new TargetRig(target, clock, wayOut);
  }

  /** @param wayOutOn how Feishu is reached; straight when left out */
  static async start(
    options: Partial<FeishuOptions> = {},
    wayOutOn?: (clock: ManualClock) => WayOut,
  ): Promise<FeishuRig> {
    const clock = new ManualClock(Date.now());
    const [feishu, lark] = await Promise.all([startFeishuSimulator(clock), startFeishuSimulator(clock)]);
    const folder = await mkdtemp(join(tmpdir(), 'feishu-test-'));
    return new FeishuRig(feishu, lark, clock, folder, options, wayOutOn?.(clock));
  }

  async stop(): Promise<void> {
    const closing = this.rig.close();
    await this.passUntil(() => this.feishu.push.open === 0);
    await closing;
    await Promise.all([this.feishu.close(), this.lark.close()]);
    await rm(this.folder, { recursive: true, force: true });
  }

  /** An account that was signed in before, opened and connected. */
  async openAccount(app: App = this.feishu.addApp(OWNER)): Promise<OpenedAccount & { readonly app: App }> {
    const account = this.rig.open('acc_1', signedInAs(app));
    await this.passUntil(() => account.state() === 'connected');
    return { ...account, app };
  }

  /** Waits, on real time, for what real sockets bring. */
  async until(condition: () => boolean): Promise<void> {
    await expect.poll(condition, { timeout: 15_000, interval: 5 }).toBe(true);
  }

  /** Lets real I/O and the clock go on together until something is true. */
  async passUntil(condition: () => boolean, stepMs = 0): Promise<void> {
    await this.until(() => {
      if (condition()) return true;
      void this.clock.advance(stepMs);
      return false;
    });
  }

  /** The result of a call that waits for its turn on the clock. */
  async settled<T>(call: Promise<T>, stepMs = 250): Promise<T> {
    let isDone = false;
    const mark = (): void => void (isDone = true);
    call.then(mark, mark);
    await this.passUntil(() => isDone, stepMs);
    return call;
  }

  async storedFile(
    name: string,
    mimeType: string,
    bytes: Buffer | number,
    fileType: FileType = 'file',
  ): Promise<StoredFile> {
    const path = join(this.folder, 'upload.bin');
    const content = typeof bytes === 'number' ? Buffer.alloc(bytes, 1) : bytes;
    await writeFile(path, content);
    const ids = { fileRef: 'file_x', cardId: 'im.feishu', channelId: 'cch_x', accountId: 'acc_1', sha256: '' };
    return { ...ids, createdAt: 0, expiresAt: 1, fileType, filename: name, mimeType, byteSize: content.length, path };
  }
}

export function signedInAs({ appId, appSecret, ownerId }: App): SignedIn {
  return {
    identity: appId,
    displayName: 'Feishu',
    accountHint: 'cli_***',
    binding: { appId, ownerId, brand: 'feishu' },
    credentials: { appSecret },
  };
}

function urlsOf(simulator: FeishuSimulator): { apiBaseUrl: string; accountsBaseUrl: string } {
  return { apiBaseUrl: simulator.url, accountsBaseUrl: simulator.url };
}
