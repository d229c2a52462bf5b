/** WeChat through the iLink bot API: QR sign-in, one poller per account, the right to reply as a value, encrypted media. */
import { Spacing } from '../spacing.js';
import { OpenSessions } from '../open-sessions.js';
import type {
  AccountHandle,
  ExpiredState,
  SignedIn,
  SignInAttempt,
  Target,
  TargetContext,
  TargetRuntime,
  TargetSession,
} from '../target.js';
import { readBinding } from './binding.js';
import { consumerOf } from './conversation.js';
import { IlinkClient } from './ilink-client.js';
import { WechatSession, type SessionDeps } from './session.js';
import type { SignInDeps } from './qr.js';
import { signInByQr } from './sign-in.js';
import { WECHAT_SKILL } from './skill.js';
import { TrustedHosts } from './trust.js';
import { DEFAULT_VERSIONS, type WireVersions } from './versions.js';

export interface WechatOptions {
  readonly apiBaseUrl: string;
  readonly cdnBaseUrl: string;
  /** Hosts beyond the network's own to which URLs from the server may point. */
  readonly trustedHosts: readonly string[];
  /** What is said on the wire about this client; {@link DEFAULT_VERSIONS} for what is left out. */
  readonly versions?: Partial<WireVersions>;
}

/** @throws TypeError when a base is not a URL */
export function createWechatTarget(options: WechatOptions): Target {
  const trust = new TrustedHosts([options.apiBaseUrl, options.cdnBaseUrl], options.trustedHosts);
  const bases = { api: trust.checkBase(options.apiBaseUrl), cdn: trust.checkBase(options.cdnBaseUrl) };
  const versions = { ...DEFAULT_VERSIONS, ...options.versions };
  return {
    name: 'wechat',
    cardId: 'im.wechat',
    label: 'WeChat',
    version: '1.0.0',
    description: 'Connects a WeChat account, signed in by QR code, through the iLink bot API.',
    authFlows: [
      {
        id: 'wechat_qr_login',
        target_type: 'im',
        type: 'qr_login',
        title: 'Sign in to WeChat with a QR code',
        description: 'Scan the code with WeChat on your phone and confirm there.',
      },
    ],
    dataClasses: ['message', 'image', 'audio', 'video', 'file'],
    skill: WECHAT_SKILL,
    consumerOf: ({ binding }) => consumerOf(readBinding(binding).userId),
    start: (context) => new WechatRuntime(context, trust, bases, versions),
  };
}

class WechatRuntime implements TargetRuntime {
  readonly #signIn: SignInDeps;
  readonly #session: SessionDeps;
  readonly #sessions = new OpenSessions<WechatSession>();

  constructor(
    context: TargetContext,
    trust: TrustedHosts,
    bases: { readonly api: string; readonly cdn: string },
    versions: WireVersions,
  ) {
    const { clock, log, wayOut } = context;
    const client = new IlinkClient(clock, wayOut, versions);
    this.#signIn = { client, trust, baseUrl: bases.api, clock, log };
    this.#session = {
      context,
      client,
      trust,
      media: { client, trust, cdnBaseUrl: bases.cdn, clock, wayOut },
      spacing: new Spacing(clock),
    };
  }

  signIn(attempt: SignInAttempt): Promise<SignedIn> {
    return signInByQr(this.#signIn, attempt);
  }

  open(account: AccountHandle): TargetSession {
    return this.#sessions.open((onClose) => new WechatSession(account, this.#session, onClose));
  }

  watch(account: AccountHandle, ended: ExpiredState): TargetSession {
    return this.#sessions.open((onClose) => new WechatSession(account, this.#session, onClose, ended));
  }

  wake(): void {
    this.#sessions.wake();
  }

  stop(): Promise<void> {
    return this.#sessions.stop();
  }
}
