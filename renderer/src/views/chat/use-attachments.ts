import { useCallback, useEffect, useRef, useState } from 'react';
import { MAX_MESSAGE_FILES } from '../../../../src/bridge/limits.js';
import { UploadSlots } from './upload-slots.js';
import { upload, UploadError, type Upload, type UploadFailure } from './upload.js';

/** A file that the person adds to the message they write. */
export interface Attachment {
  readonly id: number;
  readonly name: string;
  readonly byteSize: number;
  readonly isImage: boolean;
  readonly state: AttachmentState;
}

export type AttachmentState =
  | { readonly status: 'uploading'; readonly sent: number }
  | { readonly status: 'ready'; readonly token: string }
  | { readonly status: 'failed'; readonly code: UploadFailure };

export interface Attachments {
  readonly list: readonly Attachment[];
  /** Files that were left out because there are {@link MAX_MESSAGE_FILES} already. */
  readonly leftOut: number;
  /** Bytes of the largest file taken; undefined while it is not known. */
  readonly maxBytes: number | undefined;
  readonly add: (files: readonly File[]) => void;
  /** Cancels the upload if it still runs. */
  readonly remove: (id: number) => void;
  /** A message is sent: its files are not this list's any more. */
  readonly sent: (files: readonly Attachment[]) => void;
}

/**
 * Uploads files as soon as they are added, so that they are there when the message is.
 * @param maxBytes of the largest file taken; undefined while it is not known
 */
export function useAttachments(accountId: string, maxBytes: number | undefined): Attachments {
  const [list, setList] = useState<readonly Attachment[]>([]);
  const [leftOut, setLeftOut] = useState(0);
  const [slots] = useState(() => new UploadSlots());
  /** Wanted ones; an upload that waits for its turn has none of its own yet. */
  const uploads = useRef(new Map<number, Upload | undefined>());
  const lastId = useRef(0);

  useEffect(() => {
    const wanted = uploads.current;
    return () => {
      wanted.forEach((running) => running?.cancel());
      wanted.clear();
    };
  }, []);

  const note = useCallback((id: number, state: AttachmentState) => {
    setList((known) => known.map((attachment) => (attachment.id === id ? { ...attachment, state } : attachment)));
  }, []);

  const begin = useCallback(
    async (id: number, file: File): Promise<void> => {
      if (!uploads.current.has(id)) return;
      const running = upload(accountId, file, (sent) => note(id, { status: 'uploading', sent }));
      uploads.current.set(id, running);
      try {
        note(id, { status: 'ready', token: await running.token });
      } catch (error) {
        const code = error instanceof UploadError ? error.code : 'refused';
        if (code !== 'canceled') note(id, { status: 'failed', code });
      } finally {
        uploads.current.delete(id);
      }
    },
    [accountId, note],
  );

  function add(files: readonly File[]): void {
    const taken = files.slice(0, Math.max(0, MAX_MESSAGE_FILES - list.length));
    setLeftOut(files.length - taken.length);
    const added = taken.map((file) => ({ file, id: (lastId.current += 1), problem: problemOf(file, maxBytes) }));
    setList((known) => [
      ...known,
      ...added.map(({ file, id, problem }): Attachment => ({
        id,
        name: file.name,
        byteSize: file.size,
        isImage: file.type.startsWith('image/'),
        state: problem === undefined ? { status: 'uploading', sent: 0 } : { status: 'failed', code: problem },
      })),
    ]);
    for (const { file, id, problem } of added) {
      if (problem !== undefined) continue;
      uploads.current.set(id, undefined);
      void slots.run(() => begin(id, file));
    }
  }

  function remove(id: number): void {
    uploads.current.get(id)?.cancel();
    uploads.current.delete(id);
    setList((known) => known.filter((attachment) => attachment.id !== id));
    setLeftOut(0);
  }

  function sent(files: readonly Attachment[]): void {
    const gone = new Set(files.map(({ id }) => id));
    setList((known) => known.filter(({ id }) => !gone.has(id)));
    setLeftOut(0);
  }

  return { list, leftOut, maxBytes, add, remove, sent };
}

/** What can be said without sending it. */
function problemOf({ size }: File, maxBytes = Infinity): UploadFailure | undefined {
  if (size === 0) return 'empty';
  return size > maxBytes ? 'too_large' : undefined;
}
