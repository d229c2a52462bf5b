import { parseJson } from '../base/parse-json.js';
import type { FileType } from '../protocol/index.js';
import { isRecord } from '../targets/json-fields.js';
import type { InboundMessage, Json, RemoteAttachment } from '../targets/target.js';
import { codePointLength, firstCharacters } from './characters.js';
import type { PendingFacts } from './delivery.js';

/** What became of one attachment: not fetched yet, stored under a ref, or given up. */
export type FileOutcome = null | { readonly ref: string } | { readonly failed: true };

/** A pending row's `body`: the message as it came, and beside each attachment what became of it. */
export interface PendingBody {
  readonly message: InboundMessage;
  readonly files: readonly FileOutcome[];
}

/** An album beyond this is no album: the next part starts a message of its own. Telegram's albums hold 10. */
const MERGE_MAX_ATTACHMENTS = 32;
/** UTF-16 units of joined text at which a merged message takes no further part. */
const MERGE_MAX_TEXT = 65_536;
/** Characters of a message's text shown where messages are listed. */
const PREVIEW_CHARACTERS = 80;

export function newBody(message: InboundMessage): PendingBody {
  return { message, files: message.attachments.map(knownOutcome) };
}

/** What is known of an attachment from the start. */
function knownOutcome({ fileRef }: RemoteAttachment): FileOutcome {
  return fileRef === undefined ? null : { ref: fileRef };
}

/** Whether this body may still take the part. */
export function canMerge(body: PendingBody, part: InboundMessage): boolean {
  const { message } = body;
  return (
    message.attachments.length + part.attachments.length <= MERGE_MAX_ATTACHMENTS &&
    message.text.length + part.text.length <= MERGE_MAX_TEXT
  );
}

/** The body with a further part of the same album: texts joined by a line, attachments appended, the first part's id kept. */
export function mergePart(body: PendingBody, part: InboundMessage): PendingBody {
  return {
    message: {
      ...body.message,
      text: [body.message.text, part.text].filter((text) => text !== '').join('\n'),
      attachments: [...body.message.attachments, ...part.attachments],
    },
    files: [...body.files, ...part.attachments.map(knownOutcome)],
  };
}

/** What lists and the record of ended messages say about a message: its kind, its length, its first words. */
export type MessageSummary = Pick<PendingFacts, 'kind' | 'length' | 'preview'>;

export function summarize(message: InboundMessage): MessageSummary {
  return {
    kind: message.attachments[0]?.fileType ?? 'text',
    length: codePointLength(message.text),
    preview: firstCharacters(message.text, PREVIEW_CHARACTERS),
  };
}

export function encodeBody(body: PendingBody): string {
  return JSON.stringify(body);
}

/** @returns undefined when the text is not a body this program wrote, such as after damage on disk */
export function decodeBody(text: string): PendingBody | undefined {
  const value = parseJson(text);
  if (!isRecord(value) || !isInboundMessage(value['message']) || !Array.isArray(value['files'])) return undefined;
  const files: unknown[] = value['files'];
  const { message } = value;
  return { message, files: message.attachments.map((_, index) => outcomeOf(files[index])) };
}

export function encodeSummary(summary: MessageSummary): string {
  return JSON.stringify(summary);
}

export function decodeSummary(text: string): MessageSummary {
  const value = parseJson(text);
  if (!isRecord(value)) return { kind: 'text', length: 0, preview: '' };
  const { kind, length, preview } = value;
  return {
    kind: isFileType(kind) ? kind : 'text',
    length: typeof length === 'number' ? length : 0,
    preview: typeof preview === 'string' ? preview : '',
  };
}

function outcomeOf(value: unknown): FileOutcome {
  if (!isRecord(value)) return null;
  if (typeof value['ref'] === 'string') return { ref: value['ref'] };
  return value['failed'] === true ? { failed: true } : null;
}

function isFileType(value: unknown): value is FileType {
  return value === 'image' || value === 'video' || value === 'audio' || value === 'file';
}

function isInboundMessage(value: unknown): value is InboundMessage {
  return (
    isRecord(value) &&
    typeof value['id'] === 'string' &&
    typeof value['text'] === 'string' &&
    Array.isArray(value['attachments']) &&
    value['attachments'].every(isAttachment) &&
    isRecord(value['sender']) &&
    typeof value['sender']['id'] === 'string' &&
    isRecord(value['conversation']) &&
    typeof value['conversation']['id'] === 'string'
  );
}

function isAttachment(value: unknown): value is RemoteAttachment {
  return isRecord(value) && isFileType(value['fileType']) && isJson(value['locator']);
}

function isJson(value: unknown): value is Json {
  return value !== undefined;
}
