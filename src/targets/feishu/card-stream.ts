import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.js';
import { describeError, TargetRefusal, TransportError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import { wellFormed } from '../split-text.js';
import { previewGone, type Intake, type OutboundPart, type Receipt, type StreamCapable } from '../target.js';
import type { FeishuApi } from './api.js';
import { isRefusal, withoutEffect } from './errors.js';
import { fitText } from './outbound.js';

/** A card takes ten changes a second, a person five messages a second; milliseconds. */
const MIN_INTERVAL_MS = 500;
const ELEMENT = 'answer';
/** Shown while there are no words yet; an element may not be empty. */
const PLACEHOLDER = '…';
/** Kept when the app may not make cards: asking again would delay every answer. */
const REFUSED = 'cardsRefused';
/** An app that was refused cards is tried again after this, as its permissions may have been widened; milliseconds. */
export const ASK_AGAIN_AFTER_MS = 24 * 3_600_000;
/** Numbers of changes must grow over restarts too: they count tenths of seconds of the card's life. */
const SEQUENCE_STEP_MS = 100;

export interface CardStreamDeps {
  readonly api: FeishuApi;
  readonly clock: Clock;
  readonly log: Logger;
  readonly intake: Intake;
  readonly consumer: string;
  readonly send: (cardId: string, uuid: string, signal: AbortSignal) => Promise<Receipt>;
}

interface Handle {
  readonly cardId: string;
  readonly messageId: string;
  readonly madeAt: number;
}

/** An answer that grows in one card, and ends as that card. */
export class CardStream implements StreamCapable {
  readonly minIntervalMs = MIN_INTERVAL_MS;
  readonly #deps: CardStreamDeps;
  readonly #lastSequence = new Map<string, number>();

  constructor(deps: CardStreamDeps) {
    this.#deps = deps;
  }

  async open(text: string, signal: AbortSignal): Promise<{ handle: string; visible: boolean } | undefined> {
    const { clock, send } = this.#deps;
    if (this.#isRefused()) return undefined;
    const cardId = await this.#create(text, signal);
    if (cardId === undefined) return undefined;
    const uuid = randomBytes(16).toString('hex');
    const { messageId } = await again(() => send(cardId, uuid, signal), signal);
    if (messageId === undefined) {
      // Nothing could ever take its place; what can't be found again is not shown.
      throw new TransportError('server_error', 'The answer lacks what it should hold', { effect: 'unknown' });
    }
    return { handle: write({ cardId, messageId, madeAt: clock.steady() }), visible: true };
  }

  async update(handle: string, text: string, signal: AbortSignal): Promise<void> {
    const card = read(handle);
    const shown = fitText(text) || PLACEHOLDER;
    await this.#deps.api.streamText(card.cardId, ELEMENT, shown, this.#sequence(card), signal);
  }

  async finish(handle: string, part: OutboundPart, _key: string, signal: AbortSignal): Promise<Receipt> {
    const card = read(handle);
    if (part.kind === 'text' && (await this.#settle(card, wellFormed(part.text), signal))) {
      return { messageId: card.messageId };
    }
    // A message can't take its place: the card goes first, so that the answer is never seen twice.
    await this.#recall(card, signal);
    throw previewGone();
  }

  /** Replacing the card also works when it no longer streams, which Feishu ends after ten minutes. False when it can't be. */
  async #settle(card: Handle, text: string, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#deps.api.replaceCard(card.cardId, cardOf(text, false), this.#sequence(card), signal);
      this.#lastSequence.delete(card.cardId);
      return true;
    } catch (error) {
      if (error instanceof TargetRefusal && !error.retryable) {
        this.#deps.log.info({ code: error.code }, 'a card could not become the answer');
        return false;
      }
      // The same replacement twice is one.
      throw withoutEffect(error);
    }
  }

  async #recall({ cardId, messageId }: Handle, signal: AbortSignal): Promise<void> {
    this.#lastSequence.delete(cardId);
    try {
      await this.#deps.api.recall(messageId, signal);
    } catch (error) {
      if (!(error instanceof TargetRefusal) || error.retryable) throw withoutEffect(error);
      if (error.code !== 'message_gone') {
        this.#deps.log.warn({ code: error.code }, 'a card that could not become the answer stays in the chat');
      }
    }
  }

  /** Undefined where the app may not make cards. */
  async #create(text: string, signal: AbortSignal): Promise<string | undefined> {
    const { api, clock, intake, consumer, log } = this.#deps;
    try {
      return await api.createCard(cardOf(fitText(text) || PLACEHOLDER, true), signal);
    } catch (error) {
      // Nobody sees a card that was not sent.
      if (!isRefusal(error, 'permission_missing')) throw withoutEffect(error);
      log.info('the app may not make cards: answers are shown when they are complete');
      const state = { [REFUSED]: String(clock.steady()) };
      await intake.commit({ consumer, state, messages: [] }).catch((failure: unknown) => {
        log.debug({ error: describeError(failure) }, 'that cards are refused was not stored');
      });
      return undefined;
    }
  }

  #isRefused(): boolean {
    const { clock, intake, consumer } = this.#deps;
    const at = intake.state(consumer, REFUSED);
    return at !== undefined && clock.steady() - Number(at) < ASK_AGAIN_AFTER_MS;
  }

  #sequence({ cardId, madeAt }: Handle): number {
    const byAge = 1 + Math.max(0, Math.floor((this.#deps.clock.steady() - madeAt) / SEQUENCE_STEP_MS));
    const next = Math.max(byAge, (this.#lastSequence.get(cardId) ?? 0) + 1);
    this.#lastSequence.set(cardId, next);
    return next;
  }
}

function cardOf(content: string, isStreaming: boolean): object {
  return {
    schema: '2.0',
    config: { streaming_mode: isStreaming, update_multi: true },
    body: { elements: [{ tag: 'markdown', element_id: ELEMENT, content }] },
  };
}

/** A send in doubt is repeated once: under the same id it is one message. */
async function again(send: () => Promise<Receipt>, signal: AbortSignal): Promise<Receipt> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof TransportError) || signal.aborted) throw error;
    return send();
  }
}

function write({ cardId, messageId, madeAt }: Handle): string {
  return [cardId, messageId, String(madeAt)].join(' ');
}

/** @throws TypeError for a handle that {@link write} did not make */
function read(handle: string): Handle {
  const [cardId, messageId, madeAt] = handle.split(' ');
  if (cardId === undefined || messageId === undefined || !Number.isFinite(Number(madeAt))) {
    throw new TypeError('A stored Feishu stream handle is damaged');
  }
  return { cardId, messageId, madeAt: Number(madeAt) };
}
