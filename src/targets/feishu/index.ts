import { Spacing } from '../spacing.js';
import { OpenSessions } from '../open-sessions.js';
import type { AccountHandle, SignedIn, SignInAttempt, Target, TargetRuntime, TargetSession } from '../target.js';
import { checkBase, LARK_URLS, type BrandUrls } from './brand.js';
import type { GroupMessages } from './inbound.js';
import { PING_RULES, type PingRules } from './ping-pace.js';
import type { RegistrationPage } from './registration-link.js';
import { loadSdk, type LoadSdk } from './sdk.js';
import { FeishuSession, type SessionDeps } from './session.js';
import { signInByQr, type SignInDeps } from './sign-in.js';
import { consumerOf, readBinding } from './binding.js';
import { FEISHU_SKILL } from './skill.js';

/**
 * Feishu and Lark through an app of the person's own, made by scanning a QR code (sign-in.ts). Messages come over the SDK's
 * long connection, which line.ts keeps up; answers go by the open platform's API (api.ts). Numbers become meanings in errors.ts.
 */

/** Raised with every change of tools, flows, skill or capabilities. */
const VERSION = '1.0.0';

export interface FeishuOptions extends BrandUrls {
  /** Where a company that uses Lark is served. */
  readonly lark?: BrandUrls;
  /** The page that the first QR code opens; a renewed one opens the other. */
  readonly registrationPage?: RegistrationPage;
  readonly groups?: GroupMessages;
  /** {@link PING_RULES} for what is left out. */
  readonly ping?: Partial<PingRules>;
  readonly load?: LoadSdk;
}

/** @throws TypeError when an address is not one that may see an app's secret */
export function createFeishuTarget(options: FeishuOptions): Target {
  const { lark = LARK_URLS, registrationPage = 'launcher', groups = 'ignore' } = options;
  const api = { feishu: checkBase(options.apiBaseUrl), lark: checkBase(lark.apiBaseUrl) };
  const accountsBaseUrl = checkBase(options.accountsBaseUrl);
  const larkAccountsBaseUrl = checkBase(lark.accountsBaseUrl);
  return {
    name: 'feishu',
    cardId: 'im.feishu',
    label: 'Feishu',
    version: VERSION,
    description: 'Brings messages that a person writes to their Feishu or Lark bot to the agent, and its answers back.',
    authFlows: [
      {
        id: 'feishu_qr_create_app',
        target_type: 'im',
        type: 'qr_login',
        title: 'Sign in to Feishu with a QR code',
        description: 'Scan the code with Feishu or Lark on your phone and confirm there: it makes a bot of your own.',
      },
    ],
    dataClasses: ['message', 'image', 'audio', 'video', 'file'],
    skill: FEISHU_SKILL,
    consumerOf: ({ binding }) => consumerOf(readBinding(binding).appId),
    start: (context) => {
      const { clock, log, wayOut } = context;
      return new FeishuRuntime(
        { clock, log, wayOut, accountsBaseUrl, larkAccountsBaseUrl, page: registrationPage, groups },
        {
          context,
          apiBaseUrlOf: ({ brand }) => api[brand],
          groups,
          ping: { ...PING_RULES, ...options.ping },
          spacing: new Spacing(clock),
          load: options.load ?? loadSdk,
        },
      );
    },
  };
}

class FeishuRuntime implements TargetRuntime {
  readonly #signIn: SignInDeps;
  readonly #session: SessionDeps;
  readonly #sessions = new OpenSessions<FeishuSession>();

  constructor(signIn: SignInDeps, session: SessionDeps) {
    this.#signIn = signIn;
    this.#session = session;
  }

  signIn(attempt: SignInAttempt): Promise<SignedIn> {
    return signInByQr(this.#signIn, attempt);
  }

  open(account: AccountHandle): TargetSession {
    return this.#sessions.open((onClose) => new FeishuSession(account, this.#session, onClose));
  }

  wake(): void {
    this.#sessions.wake();
  }

  stop(): Promise<void> {
    return this.#sessions.stop();
  }
}
