import { createHash } from 'node:crypto';
import type { InboundMessage } from '../target.js';
import { toBare } from './addresses.js';
import { stampOf } from './archive.js';
import { attachmentOf } from './attachments.js';
import { isCopy } from './carbons.js';
import { NS } from './namespaces.js';
import { childOf, childrenOf, textOf, type Stanza } from './stanza.js';

/** Whose conversation is read. Bare addresses. */
export interface Conversation {
  readonly own: string;
  readonly peer: string;
}

/** What a message is to the account. */
export type Verdict =
  | {
      readonly kind: 'message';
      readonly message: InboundMessage;
      /** The full address that wrote. */
      readonly from: string;
      /** The writer asks to be told that this message arrived (XEP-0184). */
      readonly receiptFor: string | undefined;
    }
  | { readonly kind: 'ignored'; readonly reason: IgnoreReason }
  /** No words of anybody else: an echo of ours, a state of typing, a receipt. */
  | { readonly kind: 'nothing' };

export type IgnoreReason = 'sender_not_allowed' | 'not_a_chat' | 'encrypted';

/** Where else than on the live stream a message came from. */
export interface Origin {
  readonly archiveId?: string | undefined;
  readonly stamp?: number | undefined;
}

/** An id made of chance, as clients make them today, is at least this long; shorter ones are counters that begin again. */
const MIN_CHANCE_ID_LENGTH = 8;
const MAX_PLAIN_ID_LENGTH = 64;

/**
 * Judges one message. Pure.
 * @param spareId names a message that brought no id of its own
 */
export function readMessage(message: Stanza, { own, peer }: Conversation, origin: Origin, spareId: string): Verdict {
  const { from = '', type = 'normal', id } = message.attrs;
  if (toBare(from) === own || isCopy(message)) return { kind: 'nothing' };
  const body = bodyOf(message);
  const attachments = childrenOf(message, 'x', NS.oob).flatMap((x) => attachmentOf(textOf(childOf(x, 'url', NS.oob))));
  if (body === undefined && attachments.length === 0 && !isEncrypted(message)) return { kind: 'nothing' };
  if (toBare(from) !== peer) return { kind: 'ignored', reason: 'sender_not_allowed' };
  if (type !== 'chat' && type !== 'normal') return { kind: 'ignored', reason: 'not_a_chat' };
  if (isEncrypted(message)) return { kind: 'ignored', reason: 'encrypted' };
  const stamp = origin.stamp ?? stampOf(message);
  // Clients repeat the link as the text, for those who know no attachments.
  const isLinkOnly = attachments.some(({ url }) => url === body?.trim());
  return {
    kind: 'message',
    from,
    receiptFor: childOf(message, 'request', NS.receipts) ? id : undefined,
    message: {
      ...idsOf(message, own, origin.archiveId, spareId),
      text: isLinkOnly ? '' : (body ?? ''),
      attachments: attachments.map(({ attachment }) => attachment),
      sender: { id: peer },
      conversation: { id: peer, type: 'p2p' },
      ...(stamp === undefined ? {} : { sentAt: stamp }),
    },
  };
}

/** The archive's id of a live message (XEP-0359); one that somebody else claims to have given counts for nothing. */
export function archiveIdOf(message: Stanza, own: string): string | undefined {
  const ids = childrenOf(message, 'stanza-id', NS.stanzaIds);
  return ids.find(({ attrs }) => attrs['by']?.toLowerCase() === own)?.attrs['id'];
}

/**
 * The same message may come live, from the server's offline store and from the archive: one name from the archive where there
 * is one, and further names by which a copy without it is known again.
 */
function idsOf(
  message: Stanza,
  own: string,
  givenArchiveId: string | undefined,
  spareId: string,
): Pick<InboundMessage, 'id' | 'dedupKeys'> {
  const archiveId = givenArchiveId ?? archiveIdOf(message, own);
  const originId = childOf(message, 'origin-id', NS.stanzaIds)?.attrs['id'] ?? '';
  const messageId = message.attrs['id'] ?? '';
  const names = [
    archiveId === undefined ? undefined : plain('archive', archiveId),
    originId === '' ? undefined : digest('origin', originId),
    // With the words in it, so that a client that uses an id twice loses nothing.
    messageId.length < MIN_CHANCE_ID_LENGTH ? undefined : digest('message', messageId, bodyOf(message) ?? ''),
  ].filter((name) => name !== undefined);
  const [id = plain('spare', spareId), ...dedupKeys] = names;
  return dedupKeys.length === 0 ? { id } : { id, dedupKeys };
}

/** The text, of several languages the first. */
function bodyOf(message: Stanza): string | undefined {
  const [body] = childrenOf(message, 'body', '');
  const text = textOf(body);
  return text === '' ? undefined : text;
}

/** The ways to hide words from us; the newer ones send no body beside it that would tell. */
const ENCRYPTIONS = [
  ['encrypted', NS.omemo],
  ['encrypted', NS.omemo2],
  ['openpgp', NS.openpgp],
  ['x', NS.legacyPgp],
  ['encryption', NS.encryption],
] as const;

function isEncrypted(message: Stanza): boolean {
  return ENCRYPTIONS.some(([name, ns]) => childOf(message, name, ns) !== undefined);
}

function plain(kind: string, id: string): string {
  return id.length <= MAX_PLAIN_ID_LENGTH ? `${kind}:${id}` : digest(kind, id);
}

function digest(kind: string, ...parts: readonly string[]): string {
  return `${kind}:${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}`;
}
