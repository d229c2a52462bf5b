import { TargetRefusal, TransportError } from '../../base/errors.js';
import { childOf, elementsOf, type Stanza } from './stanza.js';
import { NS } from './namespaces.js';

/** The line could not be had, or is gone. Codes: `unreachable`, `connection_lost`, `timeout`, `aborted`, `stream_…`. */
export function lineLost(code: string, message: string, effect: 'none' | 'unknown'): TransportError {
  return new TransportError(code, message, { effect });
}

/** Stream errors (RFC 6120 section 4.9.3) that deserve a code of their own; the others are a lost connection. */
const STREAM_CODES: Readonly<Record<string, string>> = {
  conflict: 'used_elsewhere',
  'host-unknown': 'host_unknown',
  'host-gone': 'host_unknown',
  'policy-violation': 'server_policy',
  'resource-constraint': 'server_busy',
  'system-shutdown': 'server_restarts',
  reset: 'server_restarts',
  'connection-timeout': 'connection_lost',
};

/** What a stream error means; its text, which the server wrote, goes no further. */
export function streamError(element: Stanza): TransportError {
  const condition = elementsOf(element).find(({ ns, name }) => ns === NS.streamErrors && name !== 'text')?.name ?? '';
  return lineLost(STREAM_CODES[condition] ?? 'connection_lost', 'The server ended the stream', 'unknown');
}

/** SASL failures (RFC 6120 section 6.5) after which the same words will never be taken. */
const CREDENTIAL_FAILURES = new Set([
  'not-authorized',
  'account-disabled',
  'credentials-expired',
  'invalid-authzid',
  'bad-auth',
]);

export const CREDENTIALS_REFUSED = 'credentials_refused';

/** The server said no to who we are. */
export function saslFailure(failure: Stanza): TargetRefusal | TransportError {
  const condition = elementsOf(failure).find(({ name }) => name !== 'text')?.name ?? '';
  if (CREDENTIAL_FAILURES.has(condition)) return credentialsRefused();
  return lineLost('server_busy', 'The server could not check the password at the moment', 'none');
}

export function credentialsRefused(): TargetRefusal {
  return new TargetRefusal(CREDENTIALS_REFUSED, 'The XMPP server does not accept the address and password', {
    retryable: false,
    account: 'revoked',
  });
}

/** Refusals of a line before anybody is signed in; trying again helps only once somebody changed something. */
export function lineRefused(code: 'tls_required' | 'certificate_refused' | 'mechanism_unsupported'): TargetRefusal {
  const words = {
    tls_required: 'The XMPP server offers no encryption',
    certificate_refused: "The XMPP server's certificate is not valid for its domain",
    mechanism_unsupported: 'The XMPP server offers no way to sign in that is known here',
  } as const;
  return new TargetRefusal(code, words[code], { retryable: true });
}

/** The condition of an error stanza (RFC 6120 section 8.3), such as `item-not-found`. */
export function conditionOf(stanza: Stanza): string {
  const error = childOf(stanza, 'error', stanza.ns);
  return (
    elementsOf(error).find(({ ns, name }) => ns === NS.stanzaErrors && name !== 'text')?.name ?? 'undefined-condition'
  );
}

/** An IQ or a message came back as an error. */
export class StanzaRefused extends Error {
  override readonly name = 'StanzaRefused';
  constructor(readonly condition: string) {
    super(`The stanza was refused: ${condition}`);
  }
}

/** Conditions that may pass by themselves; the others are for good. */
const TEMPORARY = new Set([
  'resource-constraint',
  'internal-server-error',
  'recipient-unavailable',
  'remote-server-timeout',
]);
const RETRY_AFTER_MS = 5_000;

/** A message that was sent came back. */
export function messageRefused(condition: string): TargetRefusal {
  const retryable = TEMPORARY.has(condition);
  return new TargetRefusal(retryable ? 'peer_unreachable' : 'message_refused', 'The message was not accepted', {
    retryable,
    ...(retryable ? { retryAfterMs: RETRY_AFTER_MS } : {}),
  });
}
