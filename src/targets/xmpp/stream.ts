import type { OutboundPart, Receipt, StreamCapable } from '../target.js';
import { lineLost } from './errors.js';
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

  async open(text: string, signal: AbortSignal): Promise<{ handle: string; visible: boolean } | undefined> {
    if (!this.#calls.showsCorrections) return undefined;
    const id = newStanzaId();
    await this.#show({ to: this.#calls.to, id, text: shown(text), passing: true }, signal);
    return { handle: id, visible: true };
  }

  async update(handle: string, text: string, signal: AbortSignal): Promise<void> {
    const words = { to: this.#calls.to, id: newStanzaId(), text: shown(text), replaces: handle, passing: true };
    await this.#show(words, signal);
  }

  /** A correction, of words or to a link: sent twice it corrects the same message twice. */
  finish(handle: string, part: OutboundPart, key: string, signal: AbortSignal): Promise<Receipt> {
    return this.#calls.deliver(part, key, signal, handle);
  }

  /**
   * Nothing can be taken back from a line, and need not be: it is ordered, so that words still on their way arrive before
   * whatever follows them. Only the waiting ends with the signal.
   */
  async #show(words: Parameters<typeof wordsStanza>[0], signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw lineLost('aborted', 'The preview was abandoned', 'none');
    let onAbort: () => void = () => undefined;
    const aborted = new Promise<never>((_, reject) => {
      onAbort = () => reject(lineLost('aborted', 'The preview was abandoned', 'unknown'));
    });
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await Promise.race([this.#calls.show(wordsStanza(words)), aborted]);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }
}

function shown(text: string): string {
  return text.trim() === '' ? PLACEHOLDER : previewOf(text);
}
