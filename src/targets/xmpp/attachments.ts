import type { FileType } from '../../protocol/index.js';
import { fieldsOf, textOf } from '../json-fields.js';
import type { Json, RemoteAttachment } from '../target.js';

/** What the end of a link's path tells; the bytes are looked at later. */
const TYPES: Readonly<Record<string, { readonly fileType: FileType; readonly mimeType: string }>> = {
  jpg: { fileType: 'image', mimeType: 'image/jpeg' },
  jpeg: { fileType: 'image', mimeType: 'image/jpeg' },
  png: { fileType: 'image', mimeType: 'image/png' },
  gif: { fileType: 'image', mimeType: 'image/gif' },
  webp: { fileType: 'image', mimeType: 'image/webp' },
  heic: { fileType: 'image', mimeType: 'image/heic' },
  mp4: { fileType: 'video', mimeType: 'video/mp4' },
  webm: { fileType: 'video', mimeType: 'video/webm' },
  mov: { fileType: 'video', mimeType: 'video/quicktime' },
  mp3: { fileType: 'audio', mimeType: 'audio/mpeg' },
  m4a: { fileType: 'audio', mimeType: 'audio/mp4' },
  ogg: { fileType: 'audio', mimeType: 'audio/ogg' },
  oga: { fileType: 'audio', mimeType: 'audio/ogg' },
  opus: { fileType: 'audio', mimeType: 'audio/ogg' },
  wav: { fileType: 'audio', mimeType: 'audio/wav' },
  pdf: { fileType: 'file', mimeType: 'application/pdf' },
  txt: { fileType: 'file', mimeType: 'text/plain' },
};

const MAX_URL_LENGTH = 4_096;

/** A link beside a message (XEP-0066) as a file that can be fetched; nothing for what no browser would fetch either. */
export function attachmentOf(link: string): { readonly url: string; readonly attachment: RemoteAttachment }[] {
  const url = parse(link);
  if (!url) return [];
  const filename = lastSegment(url);
  const extension = /\.([A-Za-z0-9]{1,5})$/.exec(filename)?.[1]?.toLowerCase() ?? '';
  const type = Object.hasOwn(TYPES, extension) ? TYPES[extension] : undefined;
  const attachment: RemoteAttachment = {
    fileType: type?.fileType ?? 'file',
    ...(filename === '' ? {} : { filename }),
    ...(type === undefined ? {} : { mimeType: type.mimeType }),
    locator: { url: url.href },
  };
  return [{ url: link.trim(), attachment }];
}

/** The link that {@link attachmentOf} stored. */
export function linkOf(locator: Json): URL | undefined {
  const link = textOf(fieldsOf(locator)['url']);
  return link === undefined ? undefined : parse(link);
}

function parse(link: string): URL | undefined {
  if (link.length > MAX_URL_LENGTH) return undefined;
  try {
    const url = new URL(link.trim());
    const fits = (url.protocol === 'https:' || url.protocol === 'http:') && url.username === '' && url.password === '';
    return fits ? url : undefined;
  } catch {
    return undefined;
  }
}

function lastSegment({ pathname }: URL): string {
  const segment = pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
