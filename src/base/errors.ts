/**
 * The three error families. None carries a URL, a token or an upstream body in its message: details go to the log.
 *
 * - {@link ProtocolError}: the peer on the wire did something the protocol forbids; `code` goes out as it stands.
 * - {@link TargetRefusal}: the chat network answered "no".
 * - {@link TransportError}: we could not talk to the network, and say whether the call may have had its effect.
 */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

export class TargetRefusal extends Error {
  override readonly name = 'TargetRefusal';
  /** Whether the same request may succeed later (rate limit, busy); false when it never will. */
  readonly retryable: boolean;
  /** Milliseconds the network asked us to wait, if it did. */
  readonly retryAfterMs: number | undefined;
  /** What the refusal says about the account itself, when it does. */
  readonly account: 'expired' | 'revoked' | 'blocked' | undefined;
  /** Nothing goes through until the person writes; then the same request may. The call had no effect. */
  readonly awaitsPerson: boolean;
  constructor(
    readonly code: string,
    message: string,
    options: {
      retryable: boolean;
      retryAfterMs?: number;
      account?: 'expired' | 'revoked' | 'blocked';
      awaitsPerson?: boolean;
    },
  ) {
    super(message);
    this.retryable = options.retryable;
    this.retryAfterMs = options.retryAfterMs;
    this.account = options.account;
    this.awaitsPerson = options.awaitsPerson ?? false;
  }
}

export class TransportError extends Error {
  override readonly name = 'TransportError';
  /**
   * `none`: the request surely had no effect (not connected, name not found), so it may be repeated.
   * `unknown`: it may have arrived; a call that is not idempotent must not be repeated.
   */
  readonly effect: 'none' | 'unknown';
  constructor(
    readonly code: string,
    message: string,
    options: { effect: 'none' | 'unknown' },
  ) {
    super(message);
    this.effect = options.effect;
  }
}

/** The text of an unknown thrown value, for logs that go through the redacting sink. */
export function describeError(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
