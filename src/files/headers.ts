import { UNKNOWN_MIME_TYPE } from './media-type.js';

/** What RFC 5987 section 3.2.1 lets stand as it is; `encodeURIComponent` leaves four more alone. */
const NOT_ATTR_CHAR = /['()*]/g;

/**
 * A `Content-Disposition` value (RFC 6266) that every client reads: a plain name in ASCII, and beside it the exact one
 * (RFC 5987) when they differ.
 */
export function contentDisposition(filename: string, disposition: 'attachment' | 'inline' = 'attachment'): string {
  const wellFormed = Buffer.from(filename, 'utf8').toString('utf8');
  const plain = wellFormed.replace(/[^\x20-\x7e]/gu, '_').replace(/["\\%]/g, '_');
  const value = `${disposition}; filename="${plain}"`;
  if (plain === wellFormed) return value;
  const exact = encodeURIComponent(wellFormed).replace(NOT_ATTR_CHAR, percentEncode);
  return `${value}; filename*=UTF-8''${exact}`;
}

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Types a browser shows without running anything in them. */
const INERT_MAIN_TYPES = new Set(['image', 'audio', 'video', 'font']);
const INERT_TYPES = new Set([
  'text/plain',
  'text/csv',
  'text/markdown',
  'application/pdf',
  'application/json',
  'application/zip',
]);

/**
 * The `Content-Type` to serve a stored file with. Types that could run in a browser (HTML, SVG, XML, scripts) go out as plain
 * bytes; so does whatever is no MIME type. To be sent with `X-Content-Type-Options: nosniff`.
 */
export function safeContentType(mimeType: string): string {
  const type = mimeType.toLowerCase();
  if (!/^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/.test(type)) return UNKNOWN_MIME_TYPE;
  if (INERT_TYPES.has(type)) return type;
  const [main = '', subtype = ''] = type.split('/');
  if (INERT_MAIN_TYPES.has(main) && !subtype.endsWith('xml')) return type;
  return isOfficeDocument(type) ? type : UNKNOWN_MIME_TYPE;
}

function isOfficeDocument(type: string): boolean {
  return (
    type.startsWith('application/vnd.openxmlformats-officedocument.') ||
    type.startsWith('application/vnd.oasis.opendocument.') ||
    ['application/msword', 'application/vnd.ms-excel', 'application/vnd.ms-powerpoint', 'application/rtf'].includes(
      type,
    )
  );
}
