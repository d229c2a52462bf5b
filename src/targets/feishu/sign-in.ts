import { sleep, type Clock } from '../../base/clock.js';
import { TransportError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import type { WayOut } from '../../base/proxy/way-out.js';
import { deadlineSignal } from '../../base/deadline.js';
import { SignInFailure, type SignedIn, type SignInAttempt } from '../target.js';
import { bindingToJson, namesOf } from './binding.js';
import type { Brand } from './brand.js';
import type { GroupMessages } from './inbound.js';
import { registrationLink, type RegistrationPage } from './registration-link.js';
import { beginRegistration, pollRegistration, type RegisteredApp, type Registration } from './registration.js';

/** QRs shown before we stop by ourselves. A renewal the person asks for starts the count again. */
export const MAX_QR_CODES = 3;
/** Added to the interval whenever the server asks for it (RFC 8628 section 3.5). Milliseconds. */
export const SLOW_DOWN_MS = 5_000;
/** A registration is begun this often when the line is bad, with this pause, times the try. Milliseconds. */
const BEGIN_TRIES = 3;
const BEGIN_PAUSE_MS = 1_000;
/** A server that names no time to wait, or a senseless one, is not hammered. Milliseconds. */
const MIN_INTERVAL_MS = 1_000;

export interface SignInDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly wayOut: WayOut;
  readonly accountsBaseUrl: string;
  readonly larkAccountsBaseUrl: string;
  readonly page: RegistrationPage;
  readonly groups: GroupMessages;
}

interface Registered {
  readonly app: RegisteredApp;
  readonly brand: Brand;
}

/**
 * Signs in by QR: the person who scans it makes an app of their own in their company, whose credentials come back here.
 * Whoever scanned is the owner, and the only one whose messages are taken.
 * @throws SignInFailure `qr_expired`, `access_denied`, `login_incomplete`, `sign_in_refused`; TransportError; the abort reason
 */
export async function signInByQr(deps: SignInDeps, attempt: SignInAttempt): Promise<SignedIn> {
  const renewal = { count: 0, endCurrent: (): void => undefined };
  attempt.onRefresh(() => {
    renewal.count += 1;
    renewal.endCurrent();
  });
  // Who asks for another code may have been told at this page that the link expired: the other page gets its turn.
  let page = deps.page;
  for (let shown = 1; shown <= MAX_QR_CODES; shown += 1) {
    const registration = await begin(deps, attempt.signal);
    const renewals = renewal.count;
    const registered = await follow(deps, attempt, registration, page, (end) => (renewal.endCurrent = end));
    renewal.endCurrent = () => undefined;
    if (registered) return signedIn(registered);
    page = page === 'launcher' ? 'cli' : 'launcher';
    if (renewal.count > renewals) shown = 0;
    if (shown < MAX_QR_CODES) attempt.report({ status: 'qr_refresh_required', message: 'qr_renewing' });
  }
  throw new SignInFailure('qr_expired', 'The QR code expired and was not scanned', 'expired');
}

async function begin(deps: SignInDeps, signal: AbortSignal): Promise<Registration> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await beginRegistration({ ...deps, base: deps.accountsBaseUrl }, signal);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (!(error instanceof TransportError) || tries >= BEGIN_TRIES) throw error;
      await sleep(deps.clock, BEGIN_PAUSE_MS * tries, signal);
    }
  }
}

/** Shows one QR to its end; undefined when it ended without an answer from the person. */
async function follow(
  deps: SignInDeps,
  attempt: SignInAttempt,
  registration: Registration,
  page: RegistrationPage,
  endedBy: (end: () => void) => void,
): Promise<Registered | undefined> {
  const { clock } = deps;
  const ended = new AbortController();
  const onAbort = (): void => ended.abort(attempt.signal.reason);
  attempt.signal.addEventListener('abort', onAbort, { once: true });
  if (attempt.signal.aborted) onAbort();
  endedBy(() => ended.abort(new Error('the QR code has ended')));
  const life = deadlineSignal(clock, registration.expiresInMs, ended.signal);
  const text = registrationLink(registration.link, page, deps.groups);
  const expiresAt = clock.now() + registration.expiresInMs;
  attempt.report({ status: 'pending', qr: { text, expiresAt }, message: 'scan_qr' });
  try {
    return await poll(deps, registration, life.signal);
  } catch (error) {
    if (attempt.signal.aborted) throw attempt.signal.reason;
    if (life.signal.aborted) return undefined;
    throw error;
  } finally {
    life.done();
    attempt.signal.removeEventListener('abort', onAbort);
  }
}

async function poll(
  deps: SignInDeps,
  registration: Registration,
  signal: AbortSignal,
): Promise<Registered | undefined> {
  let interval = Math.max(registration.intervalMs, MIN_INTERVAL_MS);
  let brand: Brand = 'feishu';
  for (let isTold = false; ;) {
    // The other brand's server already knows: it is asked at once.
    if (!isTold) await sleep(deps.clock, interval, signal);
    isTold = false;
    const answer = await ask(deps, registration, brand, signal);
    switch (answer.kind) {
      case 'pending':
        break;
      case 'slow_down':
        interval += SLOW_DOWN_MS;
        break;
      case 'lark':
        brand = 'lark';
        isTold = true;
        break;
      case 'registered':
        return { app: answer.app, brand: answer.isLark ? 'lark' : 'feishu' };
      case 'expired':
        return undefined;
      case 'denied':
        throw new SignInFailure('access_denied', 'The sign-in was refused on the phone');
      case 'failed':
        deps.log.warn({ code: answer.code }, 'the registration of a Feishu app failed');
        throw new SignInFailure('sign_in_refused', 'Feishu refused the sign-in');
    }
  }
}

/** A bad line is "still waiting": the person may be holding the phone right now. */
async function ask(
  deps: SignInDeps,
  { deviceCode }: Registration,
  brand: Brand,
  signal: AbortSignal,
): ReturnType<typeof pollRegistration> {
  const base = brand === 'lark' ? deps.larkAccountsBaseUrl : deps.accountsBaseUrl;
  try {
    return await pollRegistration({ ...deps, base }, deviceCode, brand === 'feishu', signal);
  } catch (error) {
    if (signal.aborted || !(error instanceof TransportError)) throw error;
    deps.log.debug({ code: error.code }, 'how a registration stands was not told, asking again');
    return { kind: 'pending' };
  }
}

function signedIn({ app, brand }: Registered): SignedIn {
  const { appId, appSecret, ownerId } = app;
  // Without an owner anybody in the company could command the agent.
  if (ownerId === undefined) throw new SignInFailure('login_incomplete', 'Feishu did not say who signed in');
  const binding = { appId, ownerId, brand };
  return {
    identity: appId,
    ...namesOf(binding),
    binding: bindingToJson(binding),
    credentials: { appSecret },
  };
}
