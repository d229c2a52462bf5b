import type { IncomingMessage } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import busboy from 'busboy';

/** The one file of an upload request. */
export interface UploadedFile {
  readonly filename: string | undefined;
  readonly mimeType: string;
  /** Ends only when the whole form has arrived and was well formed; fails when it was not, or when the sender went away. */
  readonly content: Readable;
}

/** The form can't be read, or holds no part named `file`. */
export class UploadFormError extends Error {
  override readonly name = 'UploadFormError';
  constructor(readonly code: 'bad_multipart' | 'file_missing') {
    super(code);
  }
}

/** Name of the form field that carries the bytes (section 5.1); `recipient_ref` and `reply_token` are accepted and not needed. */
const FILE_FIELD = 'file';

/** More than section 5.1 names, so that unknown fields are no error, but bounded. */
const LIMITS = { files: 4, fields: 16, parts: 20, headerPairs: 32, fieldNameSize: 128, fieldSize: 16 * 1024 };

/**
 * Reads a multipart form as it streams in. Resolves with the first part named `file` as soon as that begins; other parts are
 * read away.
 * @param maxFileBytes no more than one byte beyond this is handed on, so that the store can tell "too large"
 * @throws UploadFormError
 */
export function readUploadForm(request: IncomingMessage, maxFileBytes: number): Promise<UploadedFile> {
  return new Promise((resolve, reject) => {
    let parser: busboy.Busboy;
    try {
      parser = busboy({
        headers: request.headers,
        // Browsers and Go send UTF-8 without saying so; latin1 would garble every Chinese name.
        defParamCharset: 'utf8',
        limits: { ...LIMITS, fileSize: maxFileBytes + 1 },
      });
    } catch {
      reject(new UploadFormError('bad_multipart'));
      return;
    }
    let content: PassThrough | undefined;
    const fail = (): void => {
      request.unpipe(parser);
      const error = new UploadFormError('bad_multipart');
      content?.destroy(error);
      reject(error);
    };
    parser.on('file', (name, part, info) => {
      // A part cut off mid-way is reported by the form as well.
      part.on('error', () => {});
      if (name !== FILE_FIELD || content) {
        part.resume();
        return;
      }
      content = new PassThrough();
      // It may fail before anybody reads it; who does read it sees the failure all the same.
      content.on('error', () => {});
      part.pipe(content, { end: false });
      // Whoever stops reading (too large, disk full) must not leave the parser waiting for room.
      content.on('close', () => part.resume());
      resolve({ filename: nonEmpty(info.filename), mimeType: info.mimeType, content });
    });
    parser.on('error', fail);
    parser.on('close', () => {
      content?.end();
      // Without effect once a file was found.
      reject(new UploadFormError('file_missing'));
    });
    request.on('close', () => {
      if (!request.complete) fail();
    });
    request.pipe(parser);
  });
}

// busboy leaves it undefined where its types say that it can't be.
function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
