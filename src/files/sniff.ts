import type { FileType } from '../protocol/index.js';

/** What the first bytes of a file say about it. `family` names the declared types the bytes do not contradict. */
export interface Sniffed {
  readonly mimeType: string;
  readonly fileType: FileType;
  readonly family?: ReadonlySet<string>;
}

/** As many first bytes as any signature below reads. */
export const SNIFF_BYTES = 512;

/** MPEG-4 says "video" in its container even when there is only sound in it, so a declared sound is believed. */
const MP4_FAMILY = new Set([
  'video/mp4',
  'audio/mp4',
  'audio/x-m4a',
  'audio/m4a',
  'audio/aac',
  'video/quicktime',
  'video/3gpp',
  'audio/3gpp',
]);
const MATROSKA_FAMILY = new Set(['video/webm', 'audio/webm', 'video/x-matroska', 'audio/x-matroska']);
const OGG_FAMILY = new Set(['audio/ogg', 'audio/opus', 'audio/vorbis', 'application/ogg']);
const MPEG_AUDIO_FAMILY = new Set(['audio/mpeg', 'audio/mp3']);
const WAVE_FAMILY = new Set(['audio/wav', 'audio/x-wav', 'audio/wave', 'audio/vnd.wave']);
const BMP_FAMILY = new Set(['image/bmp', 'image/x-ms-bmp']);
const ICON_FAMILY = new Set(['image/x-icon', 'image/vnd.microsoft.icon']);
const FLAC_FAMILY = new Set(['audio/flac', 'audio/x-flac']);
const AAC_FAMILY = new Set(['audio/aac', 'audio/x-aac', 'audio/aacp']);
const MIDI_FAMILY = new Set(['audio/midi', 'audio/x-midi']);
const AIFF_FAMILY = new Set(['audio/aiff', 'audio/x-aiff']);
const AVI_FAMILY = new Set(['video/x-msvideo', 'video/avi', 'video/msvideo']);

type Rule = (head: Buffer) => Sniffed | undefined;

const RULES: readonly Rule[] = [
  bytes('image/png', 'image', [0, '\x89PNG\r\n\x1a\n']),
  bytes('image/jpeg', 'image', [0, '\xff\xd8\xff']),
  bytes('image/gif', 'image', [0, 'GIF87a']),
  bytes('image/gif', 'image', [0, 'GIF89a']),
  bytes('image/webp', 'image', [0, 'RIFF'], [8, 'WEBP']),
  bytes('audio/wav', 'audio', [0, 'RIFF'], [8, 'WAVE'], WAVE_FAMILY),
  bytes('video/x-msvideo', 'video', [0, 'RIFF'], [8, 'AVI '], AVI_FAMILY),
  bytes('audio/aiff', 'audio', [0, 'FORM'], [8, 'AIFF'], AIFF_FAMILY),
  bytes('image/tiff', 'image', [0, 'II*\0']),
  bytes('image/tiff', 'image', [0, 'MM\0*']),
  bytes('image/x-icon', 'image', [0, '\0\0\x01\0'], ICON_FAMILY),
  bitmap,
  bytes('application/pdf', 'file', [0, '%PDF-']),
  bytes('audio/flac', 'audio', [0, 'fLaC'], FLAC_FAMILY),
  bytes('audio/midi', 'audio', [0, 'MThd'], MIDI_FAMILY),
  bytes('audio/amr-wb', 'audio', [0, '#!AMR-WB\n']),
  bytes('audio/amr', 'audio', [0, '#!AMR\n']),
  // WeChat's voice messages; some senders put one byte before the mark.
  bytes('audio/silk', 'audio', [0, '#!SILK_V3']),
  bytes('audio/silk', 'audio', [0, '\x02#!SILK_V3']),
  bytes('audio/mpeg', 'audio', [0, 'ID3'], MPEG_AUDIO_FAMILY),
  bytes('video/mpeg', 'video', [0, '\0\0\x01\xba']),
  bytes('video/x-flv', 'video', [0, 'FLV\x01']),
  ogg,
  matroska,
  isoMedia,
  mpegAudioFrame,
];

/** Says what a file is by its first bytes (up to {@link SNIFF_BYTES}); undefined for kinds without a signature known here. */
export function sniff(head: Buffer): Sniffed | undefined {
  for (const rule of RULES) {
    const found = rule(head);
    if (found) return found;
  }
  return undefined;
}

function bytes(
  mimeType: string,
  fileType: FileType,
  ...parts: readonly ([number, string] | ReadonlySet<string>)[]
): Rule {
  const marks: { at: number; mark: Buffer }[] = [];
  let family: ReadonlySet<string> | undefined;
  for (const part of parts) {
    if (isMark(part)) marks.push({ at: part[0], mark: Buffer.from(part[1], 'latin1') });
    else family = part;
  }
  const result: Sniffed = family ? { mimeType, fileType, family } : { mimeType, fileType };
  return (head) =>
    marks.every(({ at, mark }) => head.subarray(at, at + mark.length).equals(mark)) ? result : undefined;
}

function isMark(part: [number, string] | ReadonlySet<string>): part is [number, string] {
  return Array.isArray(part);
}

/** "BM" alone begins many a text, so the size of the header that follows must be one that exists. */
function bitmap(head: Buffer): Sniffed | undefined {
  if (head.length < 18 || head.toString('latin1', 0, 2) !== 'BM') return undefined;
  const headerSize = head.readUInt32LE(14);
  if (![12, 40, 52, 56, 64, 108, 124].includes(headerSize)) return undefined;
  return { mimeType: 'image/bmp', fileType: 'image', family: BMP_FAMILY };
}

function ogg(head: Buffer): Sniffed | undefined {
  if (head.toString('latin1', 0, 4) !== 'OggS') return undefined;
  // The first page carries the codec's own header.
  if (head.includes('\x80theora', 0, 'latin1')) return { mimeType: 'video/ogg', fileType: 'video' };
  return { mimeType: 'audio/ogg', fileType: 'audio', family: OGG_FAMILY };
}

function matroska(head: Buffer): Sniffed | undefined {
  if (head.toString('latin1', 0, 4) !== '\x1a\x45\xdf\xa3') return undefined;
  const webm = head.includes('webm', 0, 'latin1');
  return { mimeType: webm ? 'video/webm' : 'video/x-matroska', fileType: 'video', family: MATROSKA_FAMILY };
}

/** ISO base media files (MP4 and its relatives) name their kind in a brand. */
function isoMedia(head: Buffer): Sniffed | undefined {
  if (head.toString('latin1', 4, 8) !== 'ftyp') return undefined;
  const brand = head.toString('latin1', 8, 12);
  if (['heic', 'heix', 'hevc', 'heim', 'heis', 'mif1', 'msf1'].includes(brand)) {
    return { mimeType: 'image/heic', fileType: 'image', family: new Set(['image/heic', 'image/heif', 'image/avif']) };
  }
  if (brand === 'avif' || brand === 'avis') return { mimeType: 'image/avif', fileType: 'image' };
  if (brand === 'M4A ' || brand === 'M4B ') return { mimeType: 'audio/mp4', fileType: 'audio', family: MP4_FAMILY };
  if (brand === 'qt  ') return { mimeType: 'video/quicktime', fileType: 'video', family: MP4_FAMILY };
  if (brand.startsWith('3g')) return { mimeType: 'video/3gpp', fileType: 'video', family: MP4_FAMILY };
  return { mimeType: 'video/mp4', fileType: 'video', family: MP4_FAMILY };
}

/**
 * MP3 and AAC without a tag begin with a frame: eleven set bits, then fields of which some values do not exist.
 * Layer I, which nobody uses, is left out because its mark is also the one that UTF-16 texts begin with.
 */
function mpegAudioFrame(head: Buffer): Sniffed | undefined {
  const [first = 0, second = 0, third = 0] = head;
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return undefined;
  const layer = (second >> 1) & 3;
  if (layer === 0) {
    // ADTS, the frame of AAC, has its layer bits at zero and one bit more set before them.
    return (second & 0xf0) === 0xf0 ? { mimeType: 'audio/aac', fileType: 'audio', family: AAC_FAMILY } : undefined;
  }
  if (layer === 3) return undefined;
  const versionExists = ((second >> 3) & 3) !== 1;
  const bitrateExists = third >> 4 !== 15 && third >> 4 !== 0;
  const rateExists = ((third >> 2) & 3) !== 3;
  if (!versionExists || !bitrateExists || !rateExists) return undefined;
  return { mimeType: 'audio/mpeg', fileType: 'audio', family: MPEG_AUDIO_FAMILY };
}
