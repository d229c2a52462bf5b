import type { FileType } from '../../protocol/index.js';
import { fieldsOf, isRecord, numberOf, textOf, type Fields } from '../json-fields.js';
import { idOf } from './ids.js';
import {
  ItemType,
  type InboundItem,
  type InboundMedia,
  type MessageItem,
  type PartialQuote,
  type Quote,
} from './wire.js';
import type { WireMessage } from './wire.js';

/**
 * Reads one entry of a batch. Nothing about its types is believed: a field of the wrong type counts as absent, so that a
 * strange entry becomes a poorer message, never a failure of the batch around it.
 * @returns undefined when the entry is no object
 */
export function readMessage(entry: unknown): WireMessage | undefined {
  if (!isRecord(entry)) return undefined;
  const createdAt = numberOf(entry['create_time_ms']);
  return {
    messageId: idOf(entry['message_id']),
    clientId: textOf(entry['client_id']),
    seq: idOf(entry['seq']),
    from: textOf(entry['from_user_id']),
    groupId: textOf(entry['group_id']),
    createdAt: createdAt !== undefined && createdAt > 0 ? createdAt : undefined,
    isDeleted: (numberOf(entry['delete_time_ms']) ?? 0) > 0,
    type: numberOf(entry['message_type']),
    state: numberOf(entry['message_state']),
    items: readItems(entry['item_list']),
    contextToken: textOf(entry['context_token']),
  };
}

function readItems(value: unknown): MessageItem[] {
  if (Array.isArray(value)) return value.map(readItem);
  return value === undefined || value === null ? [] : [readItem(value)];
}

function readItem(value: unknown): MessageItem {
  if (!isRecord(value)) return { id: undefined, content: { kind: 'unknown', type: undefined }, quote: undefined };
  return { id: idOf(value['msg_id']), content: readContent(value), quote: readQuote(value['ref_msg']) };
}

function readContent(item: Fields): InboundItem {
  const type = numberOf(item['type']);
  switch (type) {
    case ItemType.text:
      return readText(item) ?? { kind: 'unknown', type };
    case ItemType.image: {
      const image = fieldsOf(item['image_item']);
      const hexKey = textOf(image['aeskey']);
      const media = readMedia(image['media'], hexKey) ?? readMedia(image['thumb_media'], hexKey);
      return mediaItem('image', media, {});
    }
    case ItemType.voice: {
      const voice = fieldsOf(item['voice_item']);
      return mediaItem('audio', readMedia(voice['media']), { transcript: textOf(voice['text']) });
    }
    case ItemType.file: {
      const file = fieldsOf(item['file_item']);
      const facts = { filename: textOf(file['file_name']), size: sizeOf(file['len']) };
      return mediaItem('file', readMedia(file['media']), facts);
    }
    case ItemType.video:
      return mediaItem('video', readMedia(fieldsOf(item['video_item'])['media']), {});
    case ItemType.none:
    case undefined:
      return readText(item) ?? { kind: 'unknown', type };
    default:
      return { kind: 'unknown', type };
  }
}

function readText(item: Fields): InboundItem | undefined {
  const text = fieldsOf(item['text_item'])['text'];
  return typeof text === 'string' ? { kind: 'text', text } : undefined;
}

function mediaItem(
  fileType: FileType,
  media: InboundMedia | undefined,
  facts: { transcript?: string | undefined; filename?: string | undefined; size?: number | undefined },
): InboundItem {
  return {
    kind: 'media',
    fileType,
    media,
    transcript: facts.transcript ?? '',
    filename: facts.filename,
    size: facts.size,
  };
}

function readMedia(value: unknown, hexKey?: string): InboundMedia | undefined {
  const media = fieldsOf(value);
  const url = textOf(media['full_url']);
  const param = textOf(media['encrypt_query_param']);
  if (url === undefined && param === undefined) return undefined;
  return { url, param, hexKey, key: textOf(media['aes_key']) };
}

/** The network writes the length of a file as text. */
function sizeOf(value: unknown): number | undefined {
  const size = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : numberOf(value);
  return size !== undefined && Number.isSafeInteger(size) && size > 0 ? size : undefined;
}

function readQuote(value: unknown): Quote | undefined {
  if (!isRecord(value)) return undefined;
  const item = value['message_item'];
  return {
    item: isRecord(item) ? readContent(item) : undefined,
    title: textOf(value['title']),
    serverId: idOf(value['svr_id']),
    partial: readPartial(value['partial_text']),
  };
}

function readPartial(value: unknown): PartialQuote | undefined {
  const partial = fieldsOf(value);
  const start = textOf(partial['start']);
  const end = textOf(partial['end']);
  if (start === undefined || end === undefined) return undefined;
  return {
    start,
    end,
    startIndex: numberOf(partial['startindex']) ?? 0,
    endIndex: numberOf(partial['endindex']) ?? 0,
    md5: textOf(partial['quotemd5'])?.toLowerCase(),
  };
}
