import type { FileType } from '../protocol/index.js';
import { extensionOf } from './media-type.js';

/** The longest name Linux, macOS and most of the world's file systems take, in bytes of UTF-8. */
export const MAX_FILENAME_BYTES = 255;

/** An ending longer than this is part of the name rather than an extension. */
const MAX_EXTENSION_BYTES = 32;

/** Control characters, and those that turn the reading direction so that `gpj.exe` reads as `exe.jpg`. */
const INVISIBLE = /[\p{Cc}\p{Bidi_Control}\u200b\u2028\u2029\u2060\ufeff\ufff9-\ufffb]/gu;

/** What Windows does not allow in a name; separators are dealt with before. */
const FORBIDDEN = /[<>:"|?*]/g;

/** Names that are devices on Windows, whatever extension follows. */
const RESERVED = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?=\.|$| )/i;

const LONE_SURROGATE = /\p{Surrogate}/gu;

/**
 * A name that can be shown, sent and saved on every system: the last part of what was given, without control characters, at
 * most {@link MAX_FILENAME_BYTES} bytes with its extension kept. Given nothing usable, a name made from the type.
 */
export function cleanFilename(name: string | undefined, mimeType: string, fileType: FileType): string {
  const last = (name ?? '')
    .replace(LONE_SURROGATE, '\ufffd')
    .normalize('NFC')
    .replace(INVISIBLE, '')
    .split(/[/\\]/)
    .pop();
  const legal = (last ?? '')
    .replace(FORBIDDEN, '_')
    .replace(/[. ]+$/, '')
    .trim();
  if (legal === '') return `${fileType}${extensionOf(mimeType) ?? ''}`;
  return shorten(RESERVED.test(legal) ? `_${legal}` : legal);
}

function shorten(name: string): string {
  if (Buffer.byteLength(name) <= MAX_FILENAME_BYTES) return name;
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 && Buffer.byteLength(name.slice(dot)) <= MAX_EXTENSION_BYTES ? name.slice(dot) : '';
  const room = MAX_FILENAME_BYTES - Buffer.byteLength(extension);
  let stem = '';
  let used = 0;
  for (const character of name) {
    used += Buffer.byteLength(character);
    if (used > room) break;
    stem += character;
  }
  return stem.replace(/[. ]+$/, '') + extension;
}
