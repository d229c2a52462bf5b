import { OpenSessions } from '../open-sessions.js';
import type { AccountHandle, SignedIn, SignInAttempt, TargetRuntime, TargetSession } from '../target.js';
import type { Connecting } from './connecting.js';
import { XmppSession } from './session.js';
import { signIn } from './sign-in.js';

/** XMPP's part of a running host: one line per account. */
export class XmppRuntime implements TargetRuntime {
  readonly #connecting: Connecting;
  readonly #sessions = new OpenSessions<XmppSession>();

  constructor(connecting: Connecting) {
    this.#connecting = connecting;
  }

  signIn(attempt: SignInAttempt): Promise<SignedIn> {
    return signIn(this.#connecting, attempt);
  }

  open(account: AccountHandle): TargetSession {
    return this.#sessions.open((onClose) => new XmppSession(account, this.#connecting, onClose));
  }

  wake(): void {
    this.#sessions.wake();
  }

  stop(): Promise<void> {
    return this.#sessions.stop();
  }
}
