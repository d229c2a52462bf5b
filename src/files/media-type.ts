import path from 'node:path';
import type { FileType } from '../protocol/index.js';
import { sniff } from './sniff.js';

/** What a file is called on the wire. */
export interface MediaType {
  readonly mimeType: string;
  readonly fileType: FileType;
}

export const UNKNOWN_MIME_TYPE = 'application/octet-stream';

/** RFC 6838 section 4.2: a type and a subtype of restricted names, at most 127 characters each. */
const MIME_PATTERN = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;

/**
 * Types every file of which begins with a signature that `sniff` knows: a file that claims one without having it is something
 * else. Other types can't be told from their bytes here and are taken at their word.
 */
const RECOGNISABLE = new Set([
  'image/png',
  'image/jpeg',
  'image/jpg',
  'image/gif',
  'image/webp',
  'image/tiff',
  'image/bmp',
  'image/heic',
  'image/heif',
  'image/avif',
  'application/pdf',
  'audio/ogg',
  'audio/opus',
  'audio/flac',
  'audio/wav',
  'audio/x-wav',
  'audio/mp4',
  'audio/x-m4a',
  'audio/amr',
  'video/mp4',
  'video/quicktime',
  'video/webm',
  'video/x-matroska',
  'video/x-msvideo',
]);

/** Images that are programs or documents to whoever opens them; an agent could not look at them as a picture either. */
const NOT_A_PICTURE = new Set(['image/svg+xml']);

/** For senders that give a name and no type (WeChat does). */
const BY_EXTENSION: ReadonlyMap<string, string> = new Map([
  ['.txt', 'text/plain'],
  ['.md', 'text/markdown'],
  ['.csv', 'text/csv'],
  ['.html', 'text/html'],
  ['.htm', 'text/html'],
  ['.json', 'application/json'],
  ['.xml', 'application/xml'],
  ['.yaml', 'application/yaml'],
  ['.yml', 'application/yaml'],
  ['.svg', 'image/svg+xml'],
  ['.zip', 'application/zip'],
  ['.gz', 'application/gzip'],
  ['.7z', 'application/x-7z-compressed'],
  ['.rar', 'application/vnd.rar'],
  ['.doc', 'application/msword'],
  ['.xls', 'application/vnd.ms-excel'],
  ['.ppt', 'application/vnd.ms-powerpoint'],
  ['.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['.xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['.pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  ['.odt', 'application/vnd.oasis.opendocument.text'],
  ['.ods', 'application/vnd.oasis.opendocument.spreadsheet'],
  ['.epub', 'application/epub+zip'],
  ['.rtf', 'application/rtf'],
  ['.apk', 'application/vnd.android.package-archive'],
]);

/** The usual extension of a type, for files that come without a name. */
const EXTENSION_OF: ReadonlyMap<string, string> = new Map([
  ...[...BY_EXTENSION].map(([extension, mimeType]): [string, string] => [mimeType, extension]),
  ['text/html', '.html'],
  ['application/yaml', '.yaml'],
  ['image/png', '.png'],
  ['image/jpeg', '.jpg'],
  ['image/gif', '.gif'],
  ['image/webp', '.webp'],
  ['image/bmp', '.bmp'],
  ['image/tiff', '.tiff'],
  ['image/heic', '.heic'],
  ['image/avif', '.avif'],
  ['image/x-icon', '.ico'],
  ['application/pdf', '.pdf'],
  ['audio/mpeg', '.mp3'],
  ['audio/ogg', '.ogg'],
  ['audio/opus', '.opus'],
  ['audio/mp4', '.m4a'],
  ['audio/aac', '.aac'],
  ['audio/flac', '.flac'],
  ['audio/wav', '.wav'],
  ['audio/amr', '.amr'],
  ['audio/silk', '.silk'],
  ['video/mp4', '.mp4'],
  ['video/quicktime', '.mov'],
  ['video/webm', '.webm'],
  ['video/x-matroska', '.mkv'],
  ['video/x-msvideo', '.avi'],
  ['video/3gpp', '.3gp'],
  ['video/mpeg', '.mpg'],
]);

/**
 * Decides what a file is. Its bytes come first; what the sender declared, or its name suggests, counts where they do not
 * contradict it.
 */
export function decideMediaType(head: Buffer, declared: string | undefined, filename: string | undefined): MediaType {
  const claim = normalizeMimeType(declared) ?? BY_EXTENSION.get(path.extname(filename ?? '').toLowerCase());
  const found = sniff(head);
  if (found) {
    if (claim === undefined || !found.family?.has(claim)) return { mimeType: found.mimeType, fileType: found.fileType };
    return { mimeType: claim, fileType: fileTypeOf(claim) };
  }
  if (claim === undefined || RECOGNISABLE.has(claim) || contradictsText(claim, head)) {
    return { mimeType: UNKNOWN_MIME_TYPE, fileType: 'file' };
  }
  return { mimeType: claim, fileType: fileTypeOf(claim) };
}

/** The type without parameters and in lower case; undefined for what is no type or says nothing. */
function normalizeMimeType(declared: string | undefined): string | undefined {
  const essence = declared?.split(';', 1)[0]?.trim().toLowerCase();
  if (essence === undefined || essence === UNKNOWN_MIME_TYPE || essence === 'binary/octet-stream') return undefined;
  return MIME_PATTERN.test(essence) ? essence : undefined;
}

export function extensionOf(mimeType: string): string | undefined {
  return EXTENSION_OF.get(mimeType);
}

function fileTypeOf(mimeType: string): FileType {
  if (NOT_A_PICTURE.has(mimeType)) return 'file';
  if (mimeType === 'application/ogg') return 'audio';
  const main = mimeType.split('/', 1)[0];
  return main === 'image' || main === 'video' || main === 'audio' ? main : 'file';
}

const UNICODE_MARKS = [
  [0xff, 0xfe],
  [0xfe, 0xff],
  [0, 0, 0xfe, 0xff],
].map((mark) => Buffer.from(mark));

/** A text has no zero bytes, unless it is UTF-16 or UTF-32, which begin with a mark. */
function contradictsText(mimeType: string, head: Buffer): boolean {
  if (!mimeType.startsWith('text/') || !head.includes(0)) return false;
  return !UNICODE_MARKS.some((mark) => head.subarray(0, mark.length).equals(mark));
}
