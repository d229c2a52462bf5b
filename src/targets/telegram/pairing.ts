import type { Message } from 'grammy/types';
import type { Clock, Timer } from '../../base/clock.js';
import { sameSecret } from '../../base/same-secret.js';
import { SignInFailure, type BindingState, type SignInProgress } from '../target.js';
import type { PairingListener } from './bot.js';
import { newPairingCode, pairingCodeIn } from './pairing-code.js';

/** How long one code may be used, milliseconds. */
const PAIRING_TTL_MS = 600_000;
/** Wrong codes from one chat before it is not listened to any more in this sign-in. */
const MAX_WRONG_CODES = 5;
/** Chats whose wrong codes are counted; when there are more, somebody is playing. */
const MAX_COUNTED_CHATS = 1_000;

/** Who pressed Start with the right code, and where. */
export interface PairedChat {
  readonly chatId: number;
  readonly ownerId: number;
  readonly name: string;
  readonly languageCode: string | undefined;
}

/** One code at a time, shown as a link: whoever opens it in Telegram and presses Start binds that chat. */
export class Pairing implements PairingListener {
  readonly #clock: Clock;
  readonly #botUsername: string;
  readonly #show: (progress: SignInProgress) => void;
  readonly #wrongCodes = new Map<number, number>();
  #code: string | undefined;
  #expiresAt = 0;
  #timer: Timer | undefined;
  #settle: { resolve: (chat: PairedChat) => void; reject: (error: Error) => void } | undefined;

  constructor(clock: Clock, botUsername: string, show: (progress: SignInProgress) => void) {
    this.#clock = clock;
    this.#botUsername = botUsername;
    this.#show = show;
  }

  /** Resolves with the first chat that shows the code. @throws SignInFailure, or the signal's reason */
  wait(signal: AbortSignal): Promise<PairedChat> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => this.#settle?.reject(reasonOf(signal));
      const end = (): void => {
        this.#settle = undefined;
        this.#code = undefined;
        this.#timer?.cancel();
        signal.removeEventListener('abort', onAbort);
      };
      this.#settle = {
        resolve: (chat) => {
          end();
          resolve(chat);
        },
        reject: (error) => {
          end();
          reject(error);
        },
      };
      if (signal.aborted) onAbort();
      else {
        signal.addEventListener('abort', onAbort);
        this.newCode();
      }
    });
  }

  /** The code so far is void from here on. */
  newCode(): void {
    if (!this.#settle) return;
    this.#timer?.cancel();
    this.#code = newPairingCode();
    this.#timer = this.#clock.after(PAIRING_TTL_MS, () => {
      this.#code = undefined;
      this.#show({ status: 'qr_refresh_required', message: 'telegram_link_expired' });
    });
    this.#expiresAt = this.#clock.now() + PAIRING_TTL_MS;
    this.#showLink('telegram_open_link');
  }

  #showLink(message: string): void {
    if (this.#code === undefined) return;
    const text = `https://t.me/${this.#botUsername}?start=${this.#code}`;
    this.#show({ status: 'pending', qr: { text, expiresAt: this.#expiresAt }, message });
  }

  take(message: Message): boolean {
    const given = pairingCodeIn(message.text);
    if (given === undefined || message.from === undefined) return false;
    const chatId = message.chat.id;
    const wrong = this.#wrongCodes.get(chatId) ?? 0;
    if (wrong >= MAX_WRONG_CODES) return true;
    if (this.#code !== undefined && sameSecret(given, this.#code)) {
      const { id, first_name, last_name, language_code } = message.from;
      const name = [first_name, last_name].filter(Boolean).join(' ');
      this.#settle?.resolve({ chatId, ownerId: id, name, languageCode: language_code });
    } else if (this.#wrongCodes.size < MAX_COUNTED_CHATS) {
      this.#wrongCodes.set(chatId, wrong + 1);
    }
    return true;
  }

  polling(state: BindingState): void {
    if (state.status === 'revoked') this.#settle?.reject(tokenRefused());
    if (state.status === 'connected') return;
    // The person may press Start as often as they like: the other program eats it.
    if (state.code === 'conflict' || state.code === 'taken_over') this.#showLink('telegram_taken_over');
    if (state.code === 'webhook_active') {
      this.#settle?.reject(
        new SignInFailure('telegram_webhook_active', 'A webhook is set for this bot: its messages go there'),
      );
    }
  }
}

export function tokenRefused(): SignInFailure {
  return new SignInFailure('telegram_token_refused', 'Telegram does not accept this bot token');
}

function reasonOf(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('aborted');
}
