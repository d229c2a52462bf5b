import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WayOut } from '../../src/base/proxy/way-out.js';
import type { FileType } from '../../src/protocol/index.js';
import type { StoredFile } from '../../src/files/file-store.js';
import type { Json, SignedIn, SignInProgress } from '../../src/targets/target.js';
import { createWechatTarget, type WechatOptions } from '../../src/targets/wechat/index.js';
import { IlinkSimulator, PERSON } from '../simulators/ilink/index.js';
import { ManualClock } from './manual-clock.js';
import { TargetRig, type OpenedAccount } from './target-rig.js';

export const FLOW = 'wechat_qr_login';
/** A signal that is never aborted. */
export const never = new AbortController().signal;

export const text = (words: string) => ({ kind: 'text', text: words }) as const;

/** An account as the connector keeps it, for a sign-in that may meet it again. */
export interface Existing {
  readonly accountId: string;
  readonly signedIn: SignedIn;
}

/** A sign-in under way, with what the person was shown and asked. */
export interface QrSignIn {
  readonly done: Promise<SignedIn>;
  readonly progress: SignInProgress[];
  /** Codes of the questions so far. */
  readonly asked: string[];
  /** Texts of the QRs shown so far. */
  readonly qrs: () => string[];
  answer(code: string): void;
  refresh(): void;
  cancel(): void;
}

/** The WeChat target on a simulated iLink, both on one manual clock. */
export class WechatRig {
  readonly clock: ManualClock;
  readonly ilink: IlinkSimulator;
  readonly rig: TargetRig;
  readonly folder: string;

  private constructor(
    ilink: IlinkSimulator,
    clock: ManualClock,
    folder: string,
    options: Partial<WechatOptions>,
    wayOut?: WayOut,
  ) {
    this.clock = clock;
    this.ilink = ilink;
    this.folder = folder;
    const { apiBaseUrl, cdnBaseUrl } = ilink;
    const target = createWechatTarget({ apiBaseUrl, cdnBaseUrl, trustedHosts: [], ...options });
    this.rig = new TargetRig(target, clock, wayOut);
  }

  /** @param wayOutOn how iLink is reached; straight when left out */
  static async start(
    options: Partial<WechatOptions> = {},
    wayOutOn?: (clock: ManualClock) => WayOut,
  ): Promise<WechatRig> {
    const clock = new ManualClock();
    const ilink = new IlinkSimulator(clock);
    await ilink.listen();
    const folder = await mkdtemp(join(tmpdir(), 'wechat-test-'));
    return new WechatRig(ilink, clock, folder, options, wayOutOn?.(clock));
  }

  /** @throws when the client broke a rule of the network */
  async stop(): Promise<void> {
    await this.rig.close();
    await this.ilink.close();
    await rm(this.folder, { recursive: true, force: true });
    if (this.ilink.violations.length > 0)
      throw new Error(`rules of iLink were broken: ${this.ilink.violations.join('; ')}`);
  }

  signIn(existing: readonly Existing[] = []): QrSignIn {
    const controller = new AbortController();
    const progress: SignInProgress[] = [];
    const asked: string[] = [];
    let refresh = (): void => undefined;
    let answer = (_code: string): void => undefined;
    const done = this.rig.runtime.signIn({
      flowId: FLOW,
      input: {},
      existing: existing.map(({ accountId, signedIn }) => ({
        accountId,
        identity: signedIn.identity,
        binding: signedIn.binding,
      })),
      signal: controller.signal,
      report: (step) => progress.push(step),
      ask: (fields, message) => {
        asked.push(message);
        return new Promise((resolve) => (answer = (code) => resolve({ [fields[0] ?? '']: code })));
      },
      onRefresh: (fn) => (refresh = fn),
      credentialsOf: async (accountId) =>
        existing.find((account) => account.accountId === accountId)?.signedIn.credentials,
    });
    done.catch(() => undefined);
    const qrs = (): string[] => [...new Set(progress.flatMap((step) => ('qr' in step ? [step.qr.text] : [])))];
    const cancel = (): void => controller.abort(new Error('canceled'));
    return { done, progress, asked, qrs, answer: (code) => answer(code), refresh: () => refresh(), cancel };
  }

  /** The person scans and confirms. */
  async signedIn(existing: readonly Existing[] = []): Promise<SignedIn> {
    const signIn = this.signIn(existing);
    await this.ilink.until(() => signIn.qrs().length === 1);
    this.ilink.logins.confirm(PERSON);
    return this.passing(signIn.done);
  }

  /** An account at work, its poller waiting at the server. */
  async open(signedIn?: SignedIn, accountId = 'acc_1'): Promise<OpenedAccount> {
    const account = this.rig.open(accountId, signedIn ?? (await this.signedIn()));
    await this.ilink.until(() => this.ilink.inbox.polling === 1);
    return account;
  }

  /** An account to which the person has written, so that it may reply. */
  async openConversation(): Promise<OpenedAccount> {
    const account = await this.open();
    this.ilink.say('hello');
    await this.received(1);
    return account;
  }

  /** Waits until that many messages were taken in all. */
  async received(count: number): Promise<void> {
    await this.passUntil(() => this.rig.intake.received.length >= count);
  }

  get texts(): string[] {
    return this.rig.intake.received.map(({ message }) => message.text);
  }

  /** A value of the one account's consumer state. */
  state(key: string): string | undefined {
    return this.rig.intake.state(`wechat/${PERSON}`, key);
  }

  /** Lets real I/O and the clock go on together until something is true. */
  async passUntil(condition: () => boolean, stepMs = 100): Promise<void> {
    await this.ilink.until(() => {
      if (condition()) return true;
      void this.clock.advance(stepMs);
      return false;
    });
  }

  /** The clock goes on while something is awaited. */
  async passing<T>(work: Promise<T>, stepMs = 100): Promise<T> {
    let settled = false;
    const finished = work.finally(() => (settled = true));
    finished.catch(() => undefined);
    await this.passUntil(() => settled, stepMs);
    return finished;
  }

  async storedFile(name: string, fileType: FileType, bytes: Buffer): Promise<StoredFile> {
    const path = join(this.folder, `upload-${name}`);
    await writeFile(path, bytes);
    const ids = { fileRef: `file_${name}`, cardId: 'im.wechat', channelId: 'cch_x', accountId: 'acc_1', sha256: '' };
    const times = { createdAt: 0, expiresAt: 1 };
    return {
      ...ids,
      ...times,
      fileType,
      filename: name,
      mimeType: 'application/octet-stream',
      byteSize: bytes.length,
      path,
    };
  }
}

/** The locator of a received attachment must tell nothing to a reader of the database. */
export function isOpaque(locator: Json): boolean {
  return typeof locator === 'string' && !/https?:|aes|param/i.test(locator);
}
