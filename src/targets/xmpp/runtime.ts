import type { AccountHandle, SignedIn, SignInAttempt, TargetRuntime, TargetSession } from '../target.js';
import type { Connecting } from './connecting.js';
import { XmppSession } from './session.js';
import { signIn } from './sign-in.js';

/** XMPP's part of a running host: one line per account. */
export class XmppRuntime implements TargetRuntime {
  readonly #connecting: Connecting;
  readonly #sessions = new Set<XmppSession>();

  constructor(connecting: Connecting) {
    this.#connecting = connecting;
  }

  signIn(attempt: SignInAttempt): Promise<SignedIn> {
    return signIn(this.#connecting, attempt);
  }

  open(account: AccountHandle): TargetSession {
    const session: XmppSession = new XmppSession(account, this.#connecting, () => this.#sessions.delete(session));
    this.#sessions.add(session);
    return session;
  }

  wake(): void {
    for (const session of this.#sessions) session.wake();
  }

  async stop(): Promise<void> {
    await Promise.all(Array.from(this.#sessions, (session) => session.close()));
  }
}
