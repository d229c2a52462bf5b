import { TargetRefusal } from '../../base/errors.js';
import type { StoredFile } from '../../files/file-store.js';
import { codePoints, headOf, splitText, utf8Bytes, wellFormed, type TextLimit } from '../split-text.js';
import type { OutboundMessage, OutboundPart } from '../target.js';
import { MAX_IMAGE_BYTES, MAX_UPLOAD_BYTES } from './media.js';

/**
 * What one message holds. Feishu takes requests of 150 KB for a text, but of 30 KB for a card, which is counted with JSON's
 * escapes in JSON; and text of a card beyond some 10,000 characters was seen cut without a word. Every part keeps both, so
 * that the first one can take the place of a streamed card.
 */
const TEXT_LIMITS: readonly TextLimit[] = [
  { max: 8_000, measure: codePoints },
  { max: 24_000, measure: (codePoint) => escapedBytes(codePoint) },
];

const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/bmp', 'image/tiff'];

/** Bytes of a code point as a JSON text inside a JSON text. */
function escapedBytes(codePoint: number): number {
  // Quote and backslash become \\\" and \\\\; control characters \\n or, at the longest, \\u0000.
  if (codePoint === 0x22 || codePoint === 0x5c) return 4;
  if (codePoint === 0x0a || codePoint === 0x0d || codePoint === 0x09) return 3;
  return codePoint < 0x20 ? 7 : utf8Bytes(codePoint);
}

/**
 * One call each: the text in parts, then each file.
 * @throws TargetRefusal `file_too_large`
 */
export function planMessage({ text, files }: OutboundMessage): OutboundPart[] {
  if (files.some(({ byteSize }) => byteSize > MAX_UPLOAD_BYTES)) {
    throw new TargetRefusal('file_too_large', 'Feishu takes files up to 30 MB', { retryable: false });
  }
  return [
    ...splitText(text, ...TEXT_LIMITS).map((part): OutboundPart => ({ kind: 'text', text: part })),
    ...files.map((file): OutboundPart => ({ kind: 'file', file })),
  ];
}

/** As much of an unfinished text as one card holds. */
export function fitText(text: string): string {
  return wellFormed(headOf(text, ...TEXT_LIMITS));
}

export function isPicture({ mimeType, byteSize }: StoredFile): boolean {
  const type = mimeType.split(';')[0]?.trim().toLowerCase() ?? '';
  return IMAGE_TYPES.includes(type) && byteSize <= MAX_IMAGE_BYTES;
}
