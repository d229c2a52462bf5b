import { sleep, type Clock, type Timer } from '../../base/clock.js';
import { TargetRefusal, TransportError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import type { SignInAttempt } from '../target.js';
import type { IlinkClient } from './ilink-client.js';
import type { TrustedHosts } from './trust.js';
import type { QrCode, QrStatus, WireLogin } from './wire.js';

/** The server forgets a QR after about two minutes; it is renewed a little before, so that nobody scans a dead one. Milliseconds. */
export const QR_SHOWN_MS = 110_000;
/** A code that was scanned is not taken away under the person's thumb: it gets this much from then on. Milliseconds. */
export const SCANNED_EXTRA_MS = 120_000;
/** Pause between two status polls, milliseconds. */
export const POLL_GAP_MS = 1_000;
/** A new QR is asked for this often when the line is bad. */
const QR_TRIES = 3;

export interface SignInDeps {
  readonly client: IlinkClient;
  readonly trust: TrustedHosts;
  /** The fixed base, where every sign-in begins. */
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly log: Logger;
}

export type QrOutcome =
  | { readonly status: 'confirmed'; readonly login: WireLogin | undefined; readonly pollingBase: string }
  | { readonly status: 'binded_redirect' }
  /** It ended without an answer from the person: by its age, by too many wrong codes, or because a new one was asked for. */
  | { readonly status: 'ended' };

/** Always from the fixed base: a redirect holds for one QR only. @throws TargetRefusal, TransportError */
export async function newQr(deps: SignInDeps, tokens: readonly string[], signal: AbortSignal): Promise<QrCode> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await deps.client.getQrCode(deps.baseUrl, tokens, signal);
    } catch (error) {
      if (signal.aborted || !isPassing(error) || tries >= QR_TRIES) throw error;
      await sleep(deps.clock, POLL_GAP_MS * tries, signal);
    }
  }
}

/**
 * Shows one QR and polls it to its end. When it has ended, no answer about it is read any more.
 * @param endedBy is given a function that ends this QR
 * @throws TargetRefusal; the attempt's abort reason
 */
export async function followQr(
  deps: SignInDeps,
  attempt: SignInAttempt,
  qr: QrCode,
  endedBy: (end: () => void) => void,
): Promise<QrOutcome> {
  const life = new Life(deps, attempt.signal);
  endedBy(() => life.end());
  try {
    return await new QrPoll(deps, attempt, qr, life).run();
  } catch (error) {
    if (attempt.signal.aborted || !life.signal.aborted) throw error;
    return { status: 'ended' };
  } finally {
    life.end();
  }
}

/** The line, or a server that asks for patience: neither says anything of the sign-in. */
function isPassing(error: unknown): error is TransportError | TargetRefusal {
  return error instanceof TransportError || (error instanceof TargetRefusal && error.retryable);
}

/** How long a QR lives: its time, lengthened once it is scanned, and never beyond the attempt. */
class Life {
  readonly #deps: SignInDeps;
  readonly #outer: AbortSignal;
  readonly #controller = new AbortController();
  readonly #follow = (): void => this.#controller.abort(this.#outer.reason);
  #timer: Timer;
  #extended = false;
  expiresAt: number;

  constructor(deps: SignInDeps, outer: AbortSignal) {
    this.#deps = deps;
    this.#outer = outer;
    this.expiresAt = deps.clock.now() + QR_SHOWN_MS;
    this.#timer = deps.clock.after(QR_SHOWN_MS, () => this.end());
    outer.addEventListener('abort', this.#follow, { once: true });
    if (outer.aborted) this.#follow();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  extend(): void {
    if (this.#extended || this.signal.aborted) return;
    this.#extended = true;
    this.#timer.cancel();
    this.expiresAt = this.#deps.clock.now() + SCANNED_EXTRA_MS;
    this.#timer = this.#deps.clock.after(SCANNED_EXTRA_MS, () => this.end());
  }

  end(): void {
    this.#timer.cancel();
    this.#outer.removeEventListener('abort', this.#follow);
    this.#controller.abort(new Error('the QR code has ended'));
  }
}

class QrPoll {
  readonly #deps: SignInDeps;
  readonly #attempt: SignInAttempt;
  readonly #qr: QrCode;
  readonly #life: Life;
  #base: string;
  #verifyCode: string | undefined;

  constructor(deps: SignInDeps, attempt: SignInAttempt, qr: QrCode, life: Life) {
    this.#deps = deps;
    this.#attempt = attempt;
    this.#qr = qr;
    this.#life = life;
    this.#base = deps.baseUrl;
  }

  async run(): Promise<QrOutcome> {
    this.#show('pending', 'scan_qr');
    for (;;) {
      const answer = await this.#poll();
      switch (answer.status) {
        case 'confirmed':
          return { status: 'confirmed', login: answer.login, pollingBase: this.#base };
        case 'binded_redirect':
          return { status: 'binded_redirect' };
        case 'expired':
        case 'verify_code_blocked':
          return { status: 'ended' };
        case 'scaned_but_redirect':
          if (answer.redirectHost !== undefined) this.#base = this.#deps.trust.checkHost(answer.redirectHost);
          this.#scanned();
          break;
        case 'scaned':
          this.#verifyCode = undefined;
          this.#scanned();
          break;
        case 'need_verifycode':
          this.#life.extend();
          this.#show('pending', 'verify_code');
          this.#verifyCode = await this.#askVerifyCode();
          continue;
        case 'wait':
          break;
      }
      await sleep(this.#deps.clock, POLL_GAP_MS, this.#life.signal);
    }
  }

  #scanned(): void {
    this.#life.extend();
    this.#show('scanned', 'confirm_on_phone');
  }

  #show(status: 'pending' | 'scanned', message: string): void {
    this.#attempt.report({ status, qr: { text: this.#qr.text, expiresAt: this.#life.expiresAt }, message });
  }

  /**
   * A timeout, a broken line, a server error or one that asks for patience is "still waiting": the person may be holding the phone
   * right now.
   */
  async #poll(): Promise<QrStatus> {
    const { client, log } = this.#deps;
    const { signal } = this.#life;
    try {
      const answer = await client.getQrStatus(this.#base, this.#qr.handle, this.#verifyCode, signal);
      signal.throwIfAborted();
      return answer;
    } catch (error) {
      if (signal.aborted || !isPassing(error)) throw error;
      log.debug({ code: error.code }, 'the state of a QR was not told, asking again');
      return { status: 'wait' };
    }
  }

  #askVerifyCode(): Promise<string> {
    const { signal } = this.#life;
    // Asked again while one is pending, the server says that it was wrong.
    const message = this.#verifyCode === undefined ? 'verify_code' : 'verify_code_wrong';
    return new Promise((resolve, reject) => {
      const onEnd = (): void => reject(new Error('the QR code has ended'));
      if (signal.aborted) {
        onEnd();
        return;
      }
      signal.addEventListener('abort', onEnd, { once: true });
      this.#attempt
        .ask(['verify_code'], message)
        .then((input) => resolve((input['verify_code'] ?? '').trim()), reject)
        .finally(() => signal.removeEventListener('abort', onEnd));
    });
  }
}
