import { TargetRefusal } from '../../base/errors.js';
import { codePoints, splitText, utf8Bytes, type TextLimit } from '../split-text.js';
import type { OutboundMessage, OutboundPart } from '../target.js';
import { REPLIES_PER_MESSAGE } from './conversation.js';
import { MAX_MEDIA_BYTES } from './media-limits.js';

interface PartSize {
  readonly codePoints: number;
  readonly bytes: number;
}

/** The network refuses above 16 KiB, and texts were seen cut near 2000 characters: this keeps both with room to spare. */
export const USUAL_PART: PartSize = { codePoints: 1_800, bytes: 6 * 1024 };
/** For a text that would use up the replies of one message in usual parts: what the official client advertises. */
export const LARGE_PART: PartSize = { codePoints: 4_000, bytes: 12 * 1024 };
/** Usual parts of one text at most; the replies left over are for files and what the agent says later. */
export const MAX_USUAL_PARTS = REPLIES_PER_MESSAGE - 2;

/**
 * One item a call: the text in parts first, then each file. A message that needs more replies than the network ever takes is
 * refused as a whole, because its end could not follow.
 * @throws TargetRefusal `file_too_large`, `text_too_long`
 */
export function planParts({ text, files }: OutboundMessage): readonly OutboundPart[] {
  if (files.some((file) => file.byteSize > MAX_MEDIA_BYTES)) {
    throw new TargetRefusal('file_too_large', 'The file is larger than WeChat takes', { retryable: false });
  }
  const usual = splitText(text, ...limitsOf(USUAL_PART));
  const texts = usual.length <= MAX_USUAL_PARTS ? usual : splitText(text, ...limitsOf(LARGE_PART));
  if (texts.length + files.length > REPLIES_PER_MESSAGE) {
    const message = `WeChat takes ${REPLIES_PER_MESSAGE} replies in a row and this needs more: send it as a file`;
    throw new TargetRefusal('text_too_long', message, { retryable: false });
  }
  return [
    ...texts.map((part): OutboundPart => ({ kind: 'text', text: part })),
    ...files.map((file): OutboundPart => ({ kind: 'file', file })),
  ];
}

function limitsOf(size: PartSize): [TextLimit, TextLimit] {
  return [
    { max: size.codePoints, measure: codePoints },
    { max: size.bytes, measure: utf8Bytes },
  ];
}
