import { TargetRefusal } from '../../base/errors.js';
import { SignInFailure, type SignedIn, type SignInAttempt } from '../target.js';
import { bareOf, parseJid, redactedJid, type BareJid } from './addresses.js';
import { bindingToJson, identityOf } from './binding.js';
import { openLine, type Connecting } from './connecting.js';
import { newStanzaId } from './requests.js';

/** Codes of refusals that end a sign-in, as sign-in codes. */
const FAILURES: Readonly<Record<string, string>> = {
  credentials_refused: 'xmpp_credentials_refused',
  tls_required: 'xmpp_tls_required',
  certificate_refused: 'xmpp_certificate_refused',
  mechanism_unsupported: 'xmpp_mechanism_unsupported',
};

/**
 * Signs in once for the proof, and leaves again.
 * @throws SignInFailure `xmpp_…`, TransportError
 */
export async function signIn(connecting: Connecting, attempt: SignInAttempt): Promise<SignedIn> {
  const account = addressOf(
    attempt,
    'jid',
    'xmpp_jid_malformed',
    'The address of an account looks like bot@example.org',
  );
  const peer = addressOf(attempt, 'peer_jid', 'xmpp_peer_malformed', 'Your own address looks like ada@example.org');
  const password = attempt.input['password'] ?? '';
  if (password === '') throw new SignInFailure('xmpp_password_missing', 'The password of the account is wanted');
  if (bareOf(account) === bareOf(peer)) {
    throw new SignInFailure(
      'xmpp_peer_is_account',
      'The agent needs an account of its own, not the one you write with',
    );
  }
  await prove(connecting, attempt, account, password);
  const binding = { account, peer };
  return {
    identity: identityOf(binding),
    displayName: `${bareOf(account)} · ${bareOf(peer)}`,
    accountHint: redactedJid(account),
    binding: bindingToJson(binding),
    credentials: { password },
  };
}

async function prove(
  connecting: Connecting,
  attempt: SignInAttempt,
  account: BareJid,
  password: string,
): Promise<void> {
  // A name of its own: the account may be at work already, and goes on.
  const who = { account, password, resource: `xagent-check-${newStanzaId()}` };
  const handlers = { onMessage: (_: unknown, done: () => void) => done(), onPresence: () => undefined };
  try {
    const line = await openLine(connecting, who, handlers, attempt.signal);
    await line.close();
  } catch (error) {
    const code = error instanceof TargetRefusal ? FAILURES[error.code] : undefined;
    throw code !== undefined && error instanceof Error ? new SignInFailure(code, error.message) : error;
  }
}

function addressOf(attempt: SignInAttempt, field: string, code: string, message: string): BareJid {
  const address = parseJid(attempt.input[field] ?? '');
  if (!address) throw new SignInFailure(code, message);
  return address;
}
