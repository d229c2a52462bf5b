import type { Message, PhotoSize, Sticker } from 'grammy/types';
import { TargetRefusal } from '../../base/errors.js';
import type { FileType } from '../../protocol/index.js';
import { fieldsOf } from '../json-fields.js';
import type { Json, RemoteAttachment } from '../target.js';

/** The files a message carries, as the file chain fetches them later. */
export function attachmentsOf(message: Message): RemoteAttachment[] {
  const { photo, live_photo, voice, audio, video, video_note, animation, document, sticker } = message;
  const number = message.message_id;
  if (photo)
    return largest(photo).map((size) => attachment('image', size, `photo_${String(number)}.jpg`, 'image/jpeg'));
  if (voice) return [attachment('audio', voice, `voice_${String(number)}.ogg`, 'audio/ogg')];
  if (audio) return [attachment('audio', audio, `audio_${String(number)}.mp3`, 'audio/mpeg')];
  if (video) return [attachment('video', video, `video_${String(number)}.mp4`, 'video/mp4')];
  if (video_note) return [attachment('video', video_note, `video_note_${String(number)}.mp4`, 'video/mp4')];
  // An animation also comes as a document, for the sake of older bots; it is one file.
  if (animation) return [attachment('video', animation, `animation_${String(number)}.mp4`, 'video/mp4')];
  if (document) return [attachment(typeByMime(document.mime_type), document, `file_${String(number)}`, undefined)];
  if (sticker) return [stickerFile(sticker, number)];
  if (live_photo) return [attachment('video', live_photo, `live_photo_${String(number)}.mp4`, 'video/mp4')];
  return [];
}

/** What of a remote file is needed to fetch it. */
export interface FileLocator {
  readonly fileId: string;
  readonly byteSize: number | undefined;
}

/** @throws TargetRefusal `file_gone` for a file that came without the id under which it is fetched */
export function readLocator(locator: Json): FileLocator {
  const { fileId, byteSize } = fieldsOf(locator);
  if (typeof fileId !== 'string' || fileId === '') {
    throw new TargetRefusal('file_gone', 'Telegram named no file that could be fetched', { retryable: false });
  }
  return { fileId, byteSize: typeof byteSize === 'number' ? byteSize : undefined };
}

interface RemoteFile {
  readonly file_id: string;
  readonly file_size?: number;
  readonly mime_type?: string;
  readonly file_name?: string;
}

function attachment(fileType: FileType, file: RemoteFile, name: string, mime: string | undefined): RemoteAttachment {
  const mimeType = file.mime_type ?? mime;
  return {
    fileType,
    filename: file.file_name ?? name,
    ...(mimeType === undefined ? {} : { mimeType }),
    ...(file.file_size === undefined ? {} : { byteSize: file.file_size }),
    locator: { fileId: file.file_id, ...(file.file_size === undefined ? {} : { byteSize: file.file_size }) },
  };
}

/** A photo comes in several sizes; the person sent one picture. */
function largest(sizes: readonly PhotoSize[]): PhotoSize[] {
  const area = ({ width, height }: PhotoSize): number => width * height;
  const [first, ...rest] = sizes;
  return first ? [rest.reduce((best, size) => (area(size) >= area(best) ? size : best), first)] : [];
}

function stickerFile(sticker: Sticker, number: number): RemoteAttachment {
  if (sticker.is_video) return attachment('video', sticker, `sticker_${String(number)}.webm`, 'video/webm');
  if (sticker.is_animated) {
    return attachment('file', sticker, `sticker_${String(number)}.tgs`, 'application/x-tgsticker');
  }
  return attachment('image', sticker, `sticker_${String(number)}.webp`, 'image/webp');
}

function typeByMime(mimeType: string | undefined): FileType {
  const [kind] = (mimeType ?? '').split('/');
  return kind === 'image' || kind === 'video' || kind === 'audio' ? kind : 'file';
}
