import type { AuthFlow } from '../../src/protocol/index.js';
import type {
  AccountHandle,
  BindingState,
  ExpiredState,
  InboundMessage,
  OutboundMessage,
  OutboundPart,
  Receipt,
  ReplyWindow,
  SignedIn,
  SignInAttempt,
  SignInProgress,
  StreamCapable,
  Target,
  TargetContext,
  TargetRuntime,
  TargetSession,
  TypingCapable,
} from '../../src/targets/target.js';

/** A flow that shows a QR code and needs no input. */
export const QR_FLOW: AuthFlow = {
  id: 'fake_qr_login',
  target_type: 'im',
  type: 'qr_login',
  title: 'Sign in with a QR code',
};

/** A flow with one required secret and one optional field. */
export const FORM_FLOW: AuthFlow = {
  id: 'fake_binding',
  target_type: 'im',
  type: 'form',
  title: 'Bind a bot',
  fields: [
    { name: 'bot_token', label: 'Bot token', input_type: 'password', required: true, secret: true },
    { name: 'chat_id', label: 'Chat ID', input_type: 'text' },
  ],
};

export interface FakeTargetOptions {
  readonly name?: string;
  readonly label?: string;
  readonly authFlows?: readonly [AuthFlow, ...AuthFlow[]];
  /** Answers every sign-in at once; without it a test answers {@link FakeTarget.signIns} by hand. */
  readonly onSignIn?: (signIn: ScriptedSignIn) => void;
  /** The network is known to take an ended sign-in back. */
  readonly watches?: boolean;
  /** A session is being connected until the test reports something else. */
  readonly connectsSlowly?: boolean;
}

/**
 * A chat network that does only what the test says: sign-ins wait to be answered, sessions report what they are told to,
 * and what was sent is on record. The network side of a test, in place of a real target.
 */
export class FakeTarget implements Target {
  readonly name: string;
  readonly cardId: `im.${string}`;
  readonly label: string;
  readonly version = '1.0.0';
  readonly description = 'A network for tests.';
  readonly authFlows: readonly [AuthFlow, ...AuthFlow[]];
  readonly dataClasses = ['message'];
  readonly skill: string;

  /** Every sign-in begun, oldest first. */
  readonly signIns: ScriptedSignIn[] = [];
  /** Every session ever opened, oldest first, closed ones included. */
  readonly sessions: FakeSession[] = [];
  /** How the sign-ins had ended that are only looked at, in order. */
  readonly watched: ExpiredState[] = [];
  /** Accounts signed out at the network, in order. */
  readonly signedOut: string[] = [];
  wakes = 0;
  stopped = false;
  /** What a sign-out at the network does; replace it to hang or to fail. */
  onSignOut: () => Promise<void> = () => Promise.resolve();
  /** Who reads for an account; replace it to let accounts share a reader. */
  consumerOf: Target['consumerOf'] = ({ accountId }) => `${this.name}/${accountId}`;
  readonly #options: FakeTargetOptions;
  #context: TargetContext | undefined;

  constructor(options: FakeTargetOptions = {}) {
    this.#options = options;
    this.name = options.name ?? 'fake';
    this.cardId = `im.${this.name}`;
    this.label = options.label ?? 'Fake';
    this.authFlows = options.authFlows ?? [QR_FLOW];
    this.skill = `---\nname: connector-im-${this.name}\ndescription: For tests.\n---\n`;
  }

  start(context: TargetContext): TargetRuntime {
    this.#context = context;
    this.stopped = false;
    return {
      signIn: (attempt) => {
        const signIn = new ScriptedSignIn(attempt);
        this.signIns.push(signIn);
        this.#options.onSignIn?.(signIn);
        return signIn.outcome;
      },
      open: (account) => {
        const session = new FakeSession(account);
        this.sessions.push(session);
        if (this.#options.connectsSlowly) {
          session.report({ status: 'offline', code: 'connecting', since: context.clock.now() });
        }
        return session;
      },
      ...(this.#options.watches && {
        watch: (account: AccountHandle, ended: ExpiredState) => {
          this.watched.push(ended);
          const session = new FakeSession(account);
          this.sessions.push(session);
          return session;
        },
      }),
      signOut: (account) => {
        this.signedOut.push(account.accountId);
        return this.onSignOut();
      },
      wake: () => {
        this.wakes += 1;
      },
      stop: () => {
        this.stopped = true;
        return Promise.resolve();
      },
    };
  }

  get context(): TargetContext {
    if (!this.#context) throw new Error('the target was not started');
    return this.#context;
  }

  /** The latest sign-in begun. */
  get signIn(): ScriptedSignIn {
    const latest = this.signIns.at(-1);
    if (!latest) throw new Error('no sign-in was begun');
    return latest;
  }

  /** The open session of an account, or the only open one. */
  session(accountId?: string): FakeSession {
    const open = this.openSessions.filter(
      (session) => accountId === undefined || session.account.accountId === accountId,
    );
    const [only, second] = open;
    if (!only || second) throw new Error(`${open.length} open sessions instead of one`);
    return only;
  }

  get openSessions(): readonly FakeSession[] {
    return this.sessions.filter((session) => !session.closed);
  }

  /** The network delivers a message for an account, with its cursor. */
  receive(accountId: string, message: Pick<InboundMessage, 'id' | 'text'> & Partial<InboundMessage>): Promise<void> {
    return this.context.intake.commit({
      consumer: this.consumerOf({ accountId, binding: null }),
      state: { cursor: message.id },
      messages: [
        {
          accountId,
          message: { attachments: [], sender: { id: 'person' }, conversation: { id: 'chat', type: 'p2p' }, ...message },
        },
      ],
    });
  }
}

/** One sign-in of a {@link FakeTarget}, played by the test. */
export class ScriptedSignIn {
  readonly outcome: Promise<SignedIn>;
  #resolve: (signedIn: SignedIn) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;
  #refreshes = 0;

  constructor(readonly attempt: SignInAttempt) {
    this.outcome = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    attempt.onRefresh(() => {
      this.#refreshes += 1;
    });
  }

  /** How often a new QR was asked for. */
  get refreshes(): number {
    return this.#refreshes;
  }

  get aborted(): boolean {
    return this.attempt.signal.aborted;
  }

  report(progress: SignInProgress): void {
    this.attempt.report(progress);
  }

  showQr(text: string, expiresAt = Date.UTC(2026, 0, 15, 12, 2, 0)): void {
    this.report({ status: 'pending', qr: { text, expiresAt }, message: 'scan_qr' });
  }

  ask(fields: readonly string[], message: string): Promise<Readonly<Record<string, string>>> {
    return this.attempt.ask(fields, message);
  }

  /** The network says yes; a real target that was aborted may still do this late. */
  succeed(signedIn: Partial<SignedIn> = {}): void {
    this.#resolve(signedInAs(signedIn.identity ?? 'alice', signedIn));
  }

  fail(error: Error): void {
    this.#reject(error);
  }
}

/** What a network says of someone who signed in. */
export function signedInAs(identity: string, more: Partial<SignedIn> = {}): SignedIn {
  return {
    identity,
    displayName: `Fake ${identity}`,
    accountHint: `${identity.slice(0, 2)}***`,
    binding: { user: identity },
    credentials: { token: `secret-of-${identity}` },
    ...more,
  };
}

/** A session whose network is the test. */
export class FakeSession implements TargetSession {
  readonly sent: { readonly part: OutboundPart; readonly key: string }[] = [];
  lastRoundTripAt: number | undefined;
  idempotentSends = false;
  closed = false;
  typing?: TypingCapable;
  stream?: StreamCapable;
  window: ReplyWindow | undefined;
  /** What sending does beyond being recorded; replace it to refuse, to hang or to drop the line. */
  onSend: (part: OutboundPart, key: string, signal: AbortSignal) => Promise<Receipt> = (_part, key) =>
    Promise.resolve({ messageId: `sent-${key}` });
  /** What closing does; replace it to hang. */
  onClose: () => Promise<void> = () => Promise.resolve();

  constructor(readonly account: AccountHandle) {}

  report(state: BindingState): void {
    this.account.report(state);
  }

  plan(message: OutboundMessage): readonly OutboundPart[] {
    const files = message.files.map((file): OutboundPart => ({ kind: 'file', file }));
    return message.text === '' ? files : [{ kind: 'text', text: message.text }, ...files];
  }

  send(part: OutboundPart, key: string, signal: AbortSignal): Promise<Receipt> {
    this.sent.push({ part, key });
    return this.onSend(part, key, signal);
  }

  replyWindow(): ReplyWindow | undefined {
    return this.window;
  }

  close(): Promise<void> {
    this.closed = true;
    return this.onClose();
  }
}
