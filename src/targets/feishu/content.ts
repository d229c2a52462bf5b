import { parseJson } from '../../base/parse-json.js';
import type { FileType } from '../../protocol/index.js';
import { fieldsOf, numberOf, textOf, type Fields } from '../json-fields.js';
import type { RemoteAttachment } from '../target.js';
import { locatorToJson } from './media.js';
import { readPost } from './rich-text.js';

/** What a message says: its words, still with the keys of its mentions, and its files. */
export interface Content {
  readonly text: string;
  readonly attachments: readonly RemoteAttachment[];
}

/**
 * Reads the content of a message, which comes as a JSON text of its own. What has no words becomes a line in brackets, so
 * that the agent knows that there was something.
 */
export function readContent(messageId: string, type: string, json: string): Content {
  const fields = fieldsOf(parseJson(json));
  const file = (fileType: FileType, key: string, filename: string, mimeType?: string): RemoteAttachment => ({
    fileType,
    filename,
    ...(mimeType !== undefined && { mimeType }),
    locator: locatorToJson({ messageId, key, type: fileType === 'image' ? 'image' : 'file' }),
  });
  const fileKey = textOf(fields['file_key']);
  const name = textOf(fields['file_name']);
  switch (type) {
    case 'text':
      return { text: typeof fields['text'] === 'string' ? fields['text'] : '', attachments: [] };
    case 'post': {
      const { text, images, videos } = readPost(fields);
      return {
        text,
        attachments: [
          ...images.map((key, index) => file('image', key, `image_${index + 1}`)),
          ...videos.map((key, index) => file('video', key, `video_${index + 1}.mp4`, 'video/mp4')),
        ],
      };
    }
    case 'image':
      return filesOr(type, textOf(fields['image_key']), (key) => file('image', key, 'image'));
    case 'file':
      return filesOr(type, fileKey, (key) => file('file', key, name ?? 'file'));
    case 'audio':
      return filesOr(type, fileKey, (key) => file('audio', key, 'voice.opus', 'audio/opus'));
    case 'media':
      return filesOr(type, fileKey, (key) => file('video', key, name ?? 'video.mp4', 'video/mp4'));
    case 'location':
      return { text: locationText(fields), attachments: [] };
    default:
      return placeholder(type);
  }
}

function filesOr(type: string, key: string | undefined, make: (key: string) => RemoteAttachment): Content {
  return key === undefined ? placeholder(type) : { text: '', attachments: [make(key)] };
}

/** What Feishu does not give to apps, or has no words: stickers, cards, forwarded conversations, what is to come. */
function placeholder(type: string): Content {
  return { text: `[${PLACEHOLDERS[type] ?? type.replace(/_/g, ' ')}]`, attachments: [] };
}

const PLACEHOLDERS: Readonly<Record<string, string>> = {
  interactive: 'card',
  merge_forward: 'forwarded messages',
  share_chat: 'shared group',
  share_user: 'shared contact',
  share_calendar_event: 'shared calendar event',
  hongbao: 'red packet',
  video_chat: 'video call',
};

/** Feishu writes them as text. What is neither text nor number may not even be made a number of without an error. */
function coordinate(value: unknown): number | undefined {
  return numberOf(typeof value === 'string' ? Number(value) : value);
}

function locationText(fields: Fields): string {
  const name = textOf(fields['name']);
  const [longitude, latitude] = [fields['longitude'], fields['latitude']].map(coordinate);
  const place = latitude === undefined || longitude === undefined ? '' : ` (${latitude}, ${longitude})`;
  return `[location${name === undefined ? '' : `: ${name}`}${place}]`;
}
