import { createHash } from 'node:crypto';
import type { InboundMessage, Json, RemoteAttachment } from '../target.js';
import { partOf } from './partial-quote.js';
import { readMessage } from './read-message.js';
import {
  MessageState,
  MessageType,
  type InboundItem,
  type InboundMedia,
  type MessageItem,
  type Quote,
  type WireMessage,
} from './wire.js';

/** Why an entry of a batch is not a message for the agent; counted under these names. */
export type IgnoredReason =
  'echo' | 'unfinished' | 'recalled' | 'group' | 'stranger' | 'empty' | 'unknown_type' | 'unreadable';

/** What one entry of a batch is to us. */
export type Mapped =
  | {
      readonly kind: 'message';
      readonly message: InboundMessage;
      readonly contextToken: string | undefined;
      /** Ids under which a later message may quote this one. */
      readonly quotableAs: readonly string[];
    }
  | { readonly kind: 'ignored'; readonly reason: IgnoredReason };

export interface InboundContext {
  /** The person who signed in: the only one who may talk to the agent. Case matters. */
  readonly ownerId: string;
  /** Sequence numbers count per bot. */
  readonly botId: string;
  /** The cursor that was asked with: tells apart batches whose messages name neither id nor time. */
  readonly cursor: string;
  /** Makes what is needed to fetch media again unreadable in the database. */
  readonly sealLocator: (locator: Json) => Json;
  /** Text of a quoted message by the server's id, from the local cache. */
  readonly quoted: (serverId: string) => string | undefined;
}

/**
 * Maps one batch. Entries are read one by one, so that a strange one can't hold back the others.
 * Two equal messages without ids in one batch get different ids; the same batch delivered again gets the same ids.
 */
export function mapBatch(entries: readonly unknown[], context: InboundContext): Mapped[] {
  const occurrences = new Map<string, number>();
  return entries.map((entry) => {
    const message = readMessage(entry);
    return message ? mapMessage(message, context, occurrences) : { kind: 'ignored', reason: 'unreadable' };
  });
}

function mapMessage(message: WireMessage, context: InboundContext, occurrences: Map<string, number>): Mapped {
  const reason = reasonToIgnore(message, context);
  if (reason !== undefined) return { kind: 'ignored', reason };
  const { text, attachments } = readContents(message.items, context);
  if (text === '' && attachments.length === 0) return { kind: 'ignored', reason: 'empty' };
  return {
    kind: 'message',
    contextToken: message.contextToken,
    quotableAs: [message.messageId, ...message.items.map(({ id }) => id)].filter((id) => id !== undefined),
    message: {
      id: messageKey(message, context, occurrences),
      text,
      attachments,
      sender: { id: context.ownerId },
      conversation: { id: context.ownerId, type: 'p2p' },
      ...(message.createdAt === undefined ? {} : { sentAt: message.createdAt }),
    },
  };
}

function reasonToIgnore(message: WireMessage, context: InboundContext): IgnoredReason | undefined {
  if (message.type === MessageType.bot) return 'echo';
  if (message.type !== undefined && message.type !== MessageType.user && message.type !== MessageType.none) {
    return 'unknown_type';
  }
  if (message.groupId !== undefined) return 'group';
  if (message.from !== context.ownerId) return 'stranger';
  if (message.state === MessageState.generating) return 'unfinished';
  if (message.isDeleted) return 'recalled';
  return undefined;
}

/**
 * The strongest identity the message offers: server id, client id, sequence number, the items' ids, and at last its content
 * and time. The context token is never part of it, nor a file's address: both differ between two deliveries of one message.
 */
function messageKey(message: WireMessage, context: InboundContext, occurrences: Map<string, number>): string {
  if (message.messageId !== undefined) return `wx:${message.messageId}`;
  if (message.clientId !== undefined) return `wx:c:${message.clientId}`;
  if (message.seq !== undefined) return `wx:s:${context.botId}:${message.seq}`;
  const itemIds = message.items.flatMap(({ id }) => (id === undefined ? [] : [id])).sort();
  if (itemIds.length > 0) return `wx:i:${digest(itemIds)}`;
  const time = message.createdAt ?? context.cursor;
  const hash = digest([String(time), JSON.stringify(message.items.map(({ content }) => contentKey(content)))]);
  const occurrence = occurrences.get(hash) ?? 0;
  occurrences.set(hash, occurrence + 1);
  return `wx:h:${hash}:${occurrence}`;
}

function contentKey(item: InboundItem): Json {
  switch (item.kind) {
    case 'text':
      return item.text;
    case 'media':
      return [item.fileType, item.transcript, item.filename ?? null, item.media?.hexKey ?? item.media?.key ?? null];
    case 'unknown':
      return item.type ?? null;
  }
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('base64url');
}

function readContents(
  items: readonly MessageItem[],
  context: InboundContext,
): { text: string; attachments: RemoteAttachment[] } {
  const texts: string[] = [];
  const attachments: RemoteAttachment[] = [];
  for (const { content, quote } of items) {
    if (quote) texts.push(quoteLines(quote, context));
    texts.push(wordsOf(content));
    const attachment = attachmentOf(content, context);
    if (attachment) attachments.push(attachment);
  }
  // Quoted media counts as the message's own only when it brings none itself.
  if (attachments.length === 0) {
    for (const { quote } of items) {
      const attachment = quote?.item && attachmentOf(quote.item, context);
      if (attachment) attachments.push(attachment);
    }
  }
  return { text: texts.filter((text) => text !== '').join('\n'), attachments };
}

/** What an item says in words; what can't be shown otherwise gets a placeholder, so that nothing is lost in silence. */
function wordsOf(item: InboundItem): string {
  switch (item.kind) {
    case 'text':
      return item.text;
    case 'media':
      return item.media === undefined && item.transcript === ''
        ? `[WeChat ${item.fileType} without content]`
        : item.transcript;
    case 'unknown':
      return item.type === undefined ? '[unreadable WeChat item]' : `[unsupported WeChat item, type ${item.type}]`;
  }
}

function attachmentOf(item: InboundItem, context: InboundContext): RemoteAttachment | undefined {
  if (item.kind !== 'media' || item.media === undefined) return undefined;
  const { fileType, filename, size } = item;
  return {
    fileType,
    ...(filename === undefined ? {} : { filename }),
    ...(size === undefined ? {} : { byteSize: size }),
    locator: context.sealLocator(locatorOf(item.media)),
  };
}

function locatorOf({ url, param, hexKey, key }: InboundMedia): Json {
  return { url: url ?? null, param: param ?? null, hexKey: hexKey ?? null, key: key ?? null };
}

/** Longest quoted text that goes along, in code points: enough to know what is meant. */
const MAX_QUOTE_LENGTH = 500;

/** The quoted words as `> ` lines, as people write quotes in plain text. Newer phones send only an id: then the cache knows. */
function quoteLines(quote: Quote, context: InboundContext): string {
  const text = quotedText(quote, context);
  if (text === undefined) return quote.serverId === undefined ? '' : '> […]';
  const points = Array.from(text);
  const short = points.length > MAX_QUOTE_LENGTH ? `${points.slice(0, MAX_QUOTE_LENGTH).join('')}…` : text;
  return short
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}

function quotedText({ item, serverId, title, partial }: Quote, context: InboundContext): string | undefined {
  const cached = serverId === undefined ? undefined : context.quoted(serverId);
  const own = item && (item.kind === 'media' && item.transcript === '' ? `[${item.fileType}]` : wordsOf(item));
  const whole = [own, cached, title].find((words) => words !== undefined && words !== '');
  return whole === undefined || partial === undefined ? whole : (partOf(whole, partial) ?? whole);
}
