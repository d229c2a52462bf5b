import { describeError } from '../../base/errors.js';
import { SignInFailure, type Credentials, type Json, type SignedIn, type SignInAttempt } from '../target.js';
import { namesOf, readBinding } from './binding.js';
import { consumerOf, STATE_KEYS } from './conversation.js';
import { followQr, newQr, type SignInDeps } from './qr.js';
import { newSealKey } from './sealed.js';
import type { WireLogin } from './wire.js';

/** QRs shown before we stop by ourselves: the first and two renewals. A renewal the person asks for starts the count again. */
export const MAX_QR_CODES = 3;

interface Known {
  readonly identity: string;
  readonly binding: Json;
  readonly credentials: Credentials;
}

/**
 * Signs in by QR: shows at most {@link MAX_QR_CODES} codes, follows all eight states, asks for the verify code when the
 * phone shows one.
 * @throws SignInFailure `qr_expired`, `already_connected`, `bound_elsewhere`, `login_incomplete`; TargetRefusal
 *   `untrusted_host`; TransportError; the attempt's abort reason
 */
export async function signInByQr(deps: SignInDeps, attempt: SignInAttempt): Promise<SignedIn> {
  const known = await knownAccounts(deps, attempt);
  const tokens = known.map(({ credentials }) => credentials['botToken'] ?? '');
  const renewals = { asked: 0, endCurrent: (): void => undefined };
  attempt.onRefresh(() => {
    renewals.asked += 1;
    renewals.endCurrent();
  });
  for (let shown = 1; shown <= MAX_QR_CODES; shown += 1) {
    const qr = await newQr(deps, tokens, attempt.signal);
    // What was asked for before this one came is answered by it.
    const askedBefore = renewals.asked;
    const outcome = await followQr(deps, attempt, qr, (end) => (renewals.endCurrent = end));
    renewals.endCurrent = () => undefined;
    if (outcome.status === 'confirmed') return signedIn(deps, outcome.login, outcome.pollingBase, known);
    if (outcome.status === 'binded_redirect') return alreadySignedIn(known);
    if (renewals.asked > askedBefore) shown = 0;
    if (shown < MAX_QR_CODES) attempt.report({ status: 'qr_refresh_required', message: 'qr_renewing' });
  }
  throw new SignInFailure('qr_expired', 'The QR code expired and was not scanned', 'expired');
}

/** Newest first. An account whose secrets can't be read now is left out: the server then gives a new sign-in for it. */
async function knownAccounts(deps: SignInDeps, attempt: SignInAttempt): Promise<Known[]> {
  const known: Known[] = [];
  for (const { accountId, identity, binding } of [...attempt.existing].reverse()) {
    try {
      const credentials = await attempt.credentialsOf(accountId);
      if (credentials?.['botToken'] !== undefined) known.push({ identity, binding, credentials });
    } catch (error) {
      deps.log.debug({ accountId, error: describeError(error) }, 'the secrets of an account could not be read');
    }
  }
  return known;
}

function signedIn(
  deps: SignInDeps,
  login: WireLogin | undefined,
  pollingBase: string,
  known: readonly Known[],
): SignedIn {
  if (!login) throw new SignInFailure('login_incomplete', 'WeChat confirmed the sign-in without its credentials');
  const baseUrl = login.baseUrl === undefined ? pollingBase : deps.trust.checkBase(login.baseUrl);
  const before = known.find(({ identity }) => identity === login.userId);
  return {
    // One person owns one live bot: signing in again renews this account, whatever bot id the server gives.
    identity: login.userId,
    ...namesOf(login.botId),
    binding: { botId: login.botId, userId: login.userId, baseUrl },
    // The key outlives the renewal, so that files of waiting messages and the words of quotes stay readable.
    credentials: { botToken: login.botToken, sealKey: before?.credentials['sealKey'] ?? newSealKey() },
    // A new sign-in starts with an empty cursor and no right to reply.
    initialState: {
      consumer: consumerOf(login.userId),
      values: Object.fromEntries(STATE_KEYS.map((key) => [key, null])),
    },
  };
}

/** The phone says that a bot of ours is bound already; no credentials come back, so the stored ones go on. */
function alreadySignedIn(known: readonly Known[]): SignedIn {
  const [only, ...others] = known;
  if (!only) {
    throw new SignInFailure('bound_elsewhere', 'WeChat says it is bound already, but not to a sign-in of this machine');
  }
  // Which of several was meant the server does not say, and the wrong one would be somebody else's.
  if (others.length > 0) throw new SignInFailure('already_connected', 'This account is already connected');
  const { identity, binding, credentials } = only;
  return { identity, ...namesOf(readBinding(binding).botId), binding, credentials };
}
