import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { StoredFile } from '../../files/file-store.js';

/** A form with one file, read from disk while it is sent. */
export class FileForm {
  readonly contentType: string;
  readonly length: number;
  readonly #head: Buffer;
  readonly #tail: Buffer;
  readonly #path: string;

  /**
   * @param fields in the order they are sent, before the file
   * @param filename as the receiver sees it
   */
  constructor(
    fields: Readonly<Record<string, string>>,
    file: { readonly field: string; readonly filename: string; readonly stored: StoredFile },
  ) {
    const boundary = `form-${randomBytes(16).toString('hex')}`;
    const parts = Object.entries(fields).map(
      ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
    const disposition = `form-data; name="${file.field}"; filename="${quoted(file.filename)}"`;
    this.contentType = `multipart/form-data; boundary=${boundary}`;
    this.#head = Buffer.from(
      `${parts.join('')}--${boundary}\r\nContent-Disposition: ${disposition}\r\n` +
        'Content-Type: application/octet-stream\r\n\r\n',
    );
    this.#tail = Buffer.from(`\r\n--${boundary}--\r\n`);
    this.#path = file.stored.path;
    this.length = this.#head.length + file.stored.byteSize + this.#tail.length;
  }

  /** A fresh stream of the whole body, for each try one. */
  open(): Readable {
    return Readable.from(this.#bytes(), { objectMode: false });
  }

  async *#bytes(): AsyncGenerator<Buffer> {
    yield this.#head;
    for await (const chunk of createReadStream(this.#path) as AsyncIterable<Buffer>) yield chunk;
    yield this.#tail;
  }
}

/** As browsers write a file name into a form: no quote, no line break. */
function quoted(filename: string): string {
  return filename.replace(/"/g, '%22').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
}
