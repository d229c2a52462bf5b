import { parseJson } from '../../base/parse-json.js';
import type { Intake } from '../target.js';
import { headOf, utf16Units } from '../split-text.js';
import type { Renewal } from './conversation.js';
import { fieldsOf } from '../json-fields.js';
import { seal, unseal } from './sealed.js';

/** Messages remembered for quotes, inbound and outbound together; the oldest gives way. */
export const QUOTE_SLOTS = 200;
/** Longest text kept of one message, UTF-16 units; a quote shows less than that anyway. */
const MAX_TEXT = 2_000;
const NEXT = 'quote.next';

interface Slot {
  readonly ids: readonly string[];
  readonly text: string;
}

/**
 * Newer phones quote by id alone, so the words must come from here: a ring of the last messages by their server ids,
 * kept in the consumer's state and so as durable as they are. Sealed: it holds words after their delivery, and a sign-out
 * must end them.
 */
export class QuoteCache {
  readonly #sealKey: string;
  readonly #slots = new Map<number, Slot>();
  readonly #texts = new Map<string, string>();
  #next: number;

  constructor(intake: Intake, consumer: string, sealKey: string) {
    this.#sealKey = sealKey;
    const next = Number(intake.state(consumer, NEXT) ?? 0);
    this.#next = Number.isInteger(next) && next >= 0 && next < QUOTE_SLOTS ? next : 0;
    for (let index = 0; index < QUOTE_SLOTS; index += 1) {
      const sealed = intake.state(consumer, keyOf(index));
      const slot = sealed === undefined ? undefined : readSlot(unseal(sealKey, sealed));
      if (slot) this.#put(index, slot);
    }
  }

  text(serverId: string): string | undefined {
    return this.#texts.get(serverId);
  }

  /** Remembers messages by the ids under which they may be quoted; those known already are left out. */
  remember(messages: readonly Slot[]): Renewal {
    const known = new Set(this.#texts.keys());
    const slots: { index: number; slot: Slot }[] = [];
    const state: Record<string, string> = {};
    for (const { ids, text } of messages) {
      const fresh = ids.filter((id) => !known.has(id));
      if (text === '' || fresh.length === 0) continue;
      for (const id of fresh) known.add(id);
      const index = (this.#next + slots.length) % QUOTE_SLOTS;
      const slot = { ids: fresh, text: headOf(text, { max: MAX_TEXT, measure: utf16Units }) };
      slots.push({ index, slot });
      state[keyOf(index)] = seal(this.#sealKey, JSON.stringify(slot));
    }
    if (slots.length === 0) return { state, apply: () => undefined };
    // Now, and not with the rest: who remembers something while this is being written must not take the same slots.
    this.#next = (this.#next + slots.length) % QUOTE_SLOTS;
    state[NEXT] = String(this.#next);
    return {
      state,
      apply: () => {
        for (const { index, slot } of slots) this.#put(index, slot);
      },
    };
  }

  #put(index: number, slot: Slot): void {
    for (const id of this.#slots.get(index)?.ids ?? []) this.#texts.delete(id);
    this.#slots.set(index, slot);
    for (const id of slot.ids) this.#texts.set(id, slot.text);
  }
}

function keyOf(index: number): string {
  return `quote.${String(index)}`;
}

function readSlot(text: string | undefined): Slot | undefined {
  if (text === undefined) return undefined;
  const { ids, text: words } = fieldsOf(parseJson(text));
  if (!Array.isArray(ids) || typeof words !== 'string') return undefined;
  return { ids: ids.filter((id) => typeof id === 'string'), text: words };
}
