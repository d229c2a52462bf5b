import { TargetRefusal } from '../../base/errors.js';
import type { StoredFile } from '../../files/file-store.js';
import { headOf, splitText, utf16Units, wellFormed } from '../split-text.js';
import type { OutboundMessage, OutboundPart } from '../target.js';

/** Telegram counts text as UTF-16 units. */
const TEXT_LIMIT = { max: 4_096, measure: utf16Units };
const CAPTION_MAX = 1_024;
/** What a bot may upload, and what of it may be shown as a photo. */
const MAX_UPLOAD_BYTES = 50 * 1024 * 1024;
const MAX_PHOTO_BYTES = 10 * 1024 * 1024;

/** How a file is shown in the chat. */
export type MediaKind = 'photo' | 'animation' | 'video' | 'audio' | 'voice' | 'document';

const KIND_BY_MIME: Readonly<Record<string, MediaKind>> = {
  'image/jpeg': 'photo',
  'image/png': 'photo',
  'image/webp': 'photo',
  'image/gif': 'animation',
  'video/mp4': 'video',
  'audio/mpeg': 'audio',
  'audio/mp4': 'audio',
  'audio/x-m4a': 'audio',
  'audio/ogg': 'voice',
  'audio/opus': 'voice',
};

/**
 * Cuts a message into calls: the text, then the files. A text that fits below a file goes there, as a person would send it.
 * @throws TargetRefusal `file_too_large`
 */
export function planMessage({ text, files }: OutboundMessage): OutboundPart[] {
  if (files.some(({ byteSize }) => byteSize > MAX_UPLOAD_BYTES)) {
    throw new TargetRefusal('file_too_large', 'Telegram takes files up to 50 MB', { retryable: false });
  }
  const [first, ...rest] = files.map((file): OutboundPart & { kind: 'file' } => ({ kind: 'file', file }));
  if (first && text !== '' && text.length <= CAPTION_MAX) return [{ ...first, caption: text }, ...rest];
  const parts = splitText(text, TEXT_LIMIT).map((part): OutboundPart => ({ kind: 'text', text: part }));
  return [...parts, ...(first ? [first] : []), ...rest];
}

/** As much of an unfinished text as one message holds. */
export function fitText(text: string): string {
  return wellFormed(headOf(text, TEXT_LIMIT));
}

export function mediaKindOf(file: StoredFile): MediaKind {
  const kind = KIND_BY_MIME[file.mimeType.split(';')[0]?.trim().toLowerCase() ?? ''] ?? 'document';
  return kind === 'photo' && file.byteSize > MAX_PHOTO_BYTES ? 'document' : kind;
}

/**
 * A file name for the upload's header, in quotes. The library writes it there as it stands, so that a space or a
 * semicolon in a bare name would end it.
 */
export function quotedFilename(name: string): string {
  const clean = Array.from(name, (char) => (char < ' ' || char === '\u007f' ? '_' : char)).join('');
  return `"${clean.replace(/["\\]/g, "'") || 'file'}"`;
}
