import type { OutboundPart, Receipt, StreamCapable } from '../target.js';
import { previewOf, wordsStanza } from './outbound.js';
import { newStanzaId } from './requests.js';
import type { Stanza } from './stanza.js';

/** Faster than this nobody reads, and each update is a whole message for the servers between; milliseconds. */
const MIN_INTERVAL_MS = 2_000;
/** Shown while there are no words yet. */
const PLACEHOLDER = '…';

/** What the stream needs of the session. */
export interface StreamCalls {
  readonly to: string;
  /** Whether the person's client shows corrections in place. */
  readonly showsCorrections: boolean;
  /** Sends words that are replaced in a moment. @throws TransportError */
  show(stanza: Stanza): Promise<void>;
  /** @throws TargetRefusal, TransportError */
  deliver(part: OutboundPart, key: string, signal: AbortSignal, replaces: string): Promise<Receipt>;
}

/** An answer that grows by corrections of one message (XEP-0308). It is a real message and stays if this program dies. */
export class XmppStream implements StreamCapable {
  readonly minIntervalMs = MIN_INTERVAL_MS;
  readonly #calls: StreamCalls;

  constructor(calls: StreamCalls) {
    this.#calls = calls;
  }

  async open(text: string): Promise<{ handle: string; visible: boolean } | undefined> {
    if (!this.#calls.showsCorrections) return undefined;
    const id = newStanzaId();
    await this.#calls.show(wordsStanza({ to: this.#calls.to, id, text: shown(text), passing: true }));
    return { handle: id, visible: true };
  }

  async update(handle: string, text: string): Promise<void> {
    const words = { to: this.#calls.to, id: newStanzaId(), text: shown(text), replaces: handle, passing: true };
    await this.#calls.show(wordsStanza(words));
  }

  finish(handle: string, part: OutboundPart, key: string, signal: AbortSignal): Promise<Receipt> {
    return this.#calls.deliver(part, key, signal, handle);
  }
}

function shown(text: string): string {
  return text.trim() === '' ? PLACEHOLDER : previewOf(text);
}
