import { wallTime, type Clock } from '../base/clock.js';
import type { FileStore } from '../files/file-store.js';
import type { InboundFileItem } from '../protocol/index.js';
import type { RemoteAttachment } from '../targets/target.js';
import { firstCharacters } from './characters.js';
import type { OfferedMessage } from './delivery.js';
import type { FileOutcome, PendingBody } from './pending-body.js';
import type { PendingRow } from './pending-queue.js';

/** Where refs are served, below the server root and below each connector's prefix (docs/protocol-notes.md). */
const REF_PATH = '/files/refs/';
/** Characters of a file's name that a note repeats. */
const NOTE_NAME_MAX = 120;

/** The line an agent reads in place of a file that could not be had. */
export function missingFileNote(attachment: Pick<RemoteAttachment, 'fileType' | 'filename'>): string {
  // Control characters and quotes could make one note look like two, or like the person's words.
  const name = attachment.filename?.replace(/[\p{C}"]+/gu, ' ').trim();
  const subject = name ? `file "${firstCharacters(name, NOTE_NAME_MAX)}"` : attachment.fileType;
  return `[${subject} could not be fetched]`;
}

export interface OfferParts {
  readonly files: Pick<FileStore, 'get'>;
  readonly clock: Clock;
}

/** What an upstream is offered: the person's text, a note for every file that is not there, and the files that are. */
export function toOffer(
  row: PendingRow,
  body: PendingBody,
  outcomes: readonly FileOutcome[],
  parts: OfferParts,
): OfferedMessage {
  const { message } = body;
  const items: InboundFileItem[] = [];
  const lines = message.text === '' ? [] : [message.text];
  for (const [index, attachment] of message.attachments.entries()) {
    const item = storedItem(attachment, outcomes[index] ?? null, parts);
    if (item) items.push(item);
    else lines.push(missingFileNote(attachment));
  }
  return {
    accountId: row.accountId,
    messageId: row.messageId,
    text: lines.join('\n'),
    files: items,
    message,
    receivedAt: wallTime(parts.clock, row.receivedAt),
  };
}

function storedItem(
  attachment: RemoteAttachment,
  outcome: FileOutcome,
  { files, clock }: OfferParts,
): InboundFileItem | undefined {
  // A ref may have expired since it was stored, as the file's time and the message's time are two things.
  const file = outcome && 'ref' in outcome ? files.get(outcome.ref) : undefined;
  if (!file) return undefined;
  return {
    // The network knows what was sent; the store only knows bytes.
    type: attachment.fileType,
    file_ref: file.fileRef,
    filename: file.filename,
    mime_type: file.mimeType,
    byte_size: file.byteSize,
    expires_at: wallTime(clock, file.expiresAt),
    download_url: `${REF_PATH}${file.fileRef}`,
  };
}
