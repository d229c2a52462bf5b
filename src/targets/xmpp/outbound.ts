import { createHash } from 'node:crypto';
import { headOf, splitText, type TextMeasure, utf8Bytes } from '../split-text.js';
import type { OutboundMessage, OutboundPart } from '../target.js';
import { NS } from './namespaces.js';
import { el, xmlText, type Stanza } from './stanza.js';

/** What a character takes on the wire: XML writes three of them as names. */
export const wireBytes: TextMeasure = (codePoint) => {
  if (codePoint === 0x26) return 5; // &amp;
  if (codePoint === 0x3c || codePoint === 0x3e) return 4; // &lt; &gt;
  return utf8Bytes(codePoint);
};

/**
 * Servers bound a whole stanza: by 64 KiB (ejabberd), 256 KiB (Prosody) or more, never below 10,000 bytes (RFC 6120 section
 * 13.12). 48 KiB of text leaves room for addresses, marks, and the wrapping that archives and copies add on the way.
 */
const TEXT_LIMIT = { max: 48 * 1024, measure: wireBytes };
/**
 * An unfinished text is sent whole with every update, through servers that slow a client down beyond about 10 KB a second:
 * beyond this the reader waits for the final text.
 */
const PREVIEW_LIMIT = { max: 8 * 1024, measure: wireBytes };

/** Cuts a message into stanzas: the text, then each file. Pure. */
export function planMessage({ text, files }: OutboundMessage): OutboundPart[] {
  return [
    ...splitText(text, TEXT_LIMIT).map((part): OutboundPart => ({ kind: 'text', text: part })),
    ...files.map((file): OutboundPart => ({ kind: 'file', file })),
  ];
}

export function previewOf(text: string): string {
  return headOf(text, PREVIEW_LIMIT);
}

/** The id under which a part goes out, the same each time: by it a copy in the archive is known again. */
export function stanzaIdOf(key: string): string {
  return createHash('sha256').update(`stanza ${key}`).digest('base64url');
}

export interface Words {
  readonly to: string;
  readonly id: string;
  readonly text: string;
  /** The text is the link to a file (XEP-0066). */
  readonly isLink?: boolean;
  /** Id of the message that these words take the place of (XEP-0308). */
  readonly replaces?: string | undefined;
  /** Words that will be replaced in a moment: nobody need keep them. */
  readonly passing?: boolean;
}

export function wordsStanza({ to, id, text, isLink = false, replaces, passing = false }: Words): Stanza {
  const body = xmlText(text);
  return el(
    'message',
    { to, type: 'chat', id },
    el('body', {}, body),
    isLink ? el('x', { xmlns: NS.oob }, el('url', { xmlns: NS.oob }, body)) : undefined,
    replaces === undefined ? undefined : el('replace', { xmlns: NS.correct, id: replaces }),
    el(passing ? 'composing' : 'active', { xmlns: NS.chatStates }),
    passing ? undefined : el('request', { xmlns: NS.receipts }),
    el('origin-id', { xmlns: NS.stanzaIds, id }),
    el(passing ? 'no-store' : 'store', { xmlns: NS.hints }),
  );
}

export type ChatState = 'composing' | 'paused';

/** A state of typing (XEP-0085): nothing to keep for anybody. */
export function chatStateStanza(to: string, id: string, state: ChatState): Stanza {
  return el(
    'message',
    { to, type: 'chat', id },
    el(state, { xmlns: NS.chatStates }),
    el('no-store', { xmlns: NS.hints }),
  );
}
