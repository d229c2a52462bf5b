import type { Clock, Timer } from '../base/clock.js';
import { describeError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type { TypingCapable } from '../targets/target.js';
import type { Activity } from './delivery.js';
import type { Sessions } from './sessions.js';

const IDLE: Activity = { status: 'idle' };

interface Shown {
  activity: Activity;
  timeout: Timer | undefined;
  keepAlive: Timer | undefined;
  /** What the person should see; the network is told by one call at a time. */
  wanted: boolean;
  /** What the network was last told. */
  told: boolean;
  busy: boolean;
}

interface ActivityDeps {
  readonly sessions: Sessions;
  readonly clock: Clock;
  readonly log: Logger;
  readonly timeoutMs: number;
  readonly onChange: (accountId: string) => void;
}

/**
 * The agent's latest activity per account, shown as the network's typing indicator where it has one (IM Profile v2 section 8).
 * It is never stored, and no failure here touches a message.
 */
export class Activities {
  readonly #deps: ActivityDeps;
  readonly #accounts = new Map<string, Shown>();

  constructor(deps: ActivityDeps) {
    this.#deps = deps;
  }

  current(accountId: string): Activity {
    return this.#accounts.get(accountId)?.activity ?? IDLE;
  }

  /** A snapshot replaces the one before; repeating it only renews its time. */
  set(accountId: string, activity: Activity): void {
    if (activity.status === 'idle') {
      this.clear(accountId);
      return;
    }
    const { clock, timeoutMs, onChange } = this.#deps;
    const shown = this.#shown(accountId);
    shown.timeout?.cancel();
    shown.timeout = clock.after(timeoutMs, () => this.clear(accountId));
    if (!isSame(shown.activity, activity)) {
      shown.activity = activity;
      onChange(accountId);
    }
    if (shown.wanted) return;
    shown.wanted = true;
    void this.#tell(accountId, shown);
  }

  /** The account has a session, maybe another one than the network was told by: what goes on is shown there. */
  attached(accountId: string): void {
    const shown = this.#accounts.get(accountId);
    if (!shown?.wanted) return;
    shown.keepAlive?.cancel();
    shown.told = false;
    void this.#tell(accountId, shown);
  }

  /** Ends the activity: `idle`, a final message, visible text, or its time is over. */
  clear(accountId: string): void {
    const shown = this.#accounts.get(accountId);
    if (!shown || shown.activity.status === 'idle') return;
    shown.activity = IDLE;
    shown.timeout?.cancel();
    shown.keepAlive?.cancel();
    shown.wanted = false;
    this.#deps.onChange(accountId);
    void this.#tell(accountId, shown);
  }

  close(): void {
    for (const shown of this.#accounts.values()) {
      shown.timeout?.cancel();
      shown.keepAlive?.cancel();
      shown.wanted = false;
    }
    this.#accounts.clear();
  }

  #shown(accountId: string): Shown {
    let shown = this.#accounts.get(accountId);
    if (!shown) {
      shown = { activity: IDLE, timeout: undefined, keepAlive: undefined, wanted: false, told: false, busy: false };
      this.#accounts.set(accountId, shown);
    }
    return shown;
  }

  /** Brings the network to what is wanted; the wish may change while a call is under way. */
  async #tell(accountId: string, shown: Shown): Promise<void> {
    if (shown.busy) return;
    shown.busy = true;
    while (shown.wanted !== shown.told) {
      const typing = this.#deps.sessions.get(accountId)?.typing;
      shown.told = shown.wanted;
      if (typing) await this.#call(shown.told ? () => typing.show() : () => typing.clear());
      if (shown.told && typing) this.#keepAlive(accountId, shown, typing);
    }
    shown.busy = false;
    if (!shown.wanted && this.#accounts.get(accountId) === shown && shown.activity.status === 'idle') {
      this.#accounts.delete(accountId);
    }
  }

  #keepAlive(accountId: string, shown: Shown, typing: TypingCapable): void {
    shown.keepAlive?.cancel();
    shown.keepAlive = this.#deps.clock.after(typing.keepAliveMs, () => {
      if (!shown.wanted) return;
      shown.told = false;
      void this.#tell(accountId, shown);
    });
  }

  async #call(call: () => Promise<void>): Promise<void> {
    try {
      await call();
    } catch (error) {
      this.#deps.log.debug({ error: describeError(error) }, 'the typing indicator was not changed');
    }
  }
}

function isSame(a: Activity, b: Activity): boolean {
  if (a.status === 'tool' && b.status === 'tool') return a.toolName === b.toolName;
  return a.status === b.status;
}
