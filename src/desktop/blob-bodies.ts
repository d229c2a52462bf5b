import type { Session, UploadData } from 'electron';

/** Bodies remembered at once; a request takes its own within milliseconds. */
const MAX_REMEMBERED = 64;

/**
 * Files that a page sends come to a scheme's handler without their bytes in Electron 25 (later versions stream them). Where a body
 * comes empty, its bytes are asked for by the id that the request had on its way.
 */
export class BlobBodies {
  readonly #ids = new Map<string, string[]>();

  constructor(private readonly session: Pick<Session, 'getBlobData'>) {}

  /** A request is on its way. */
  note({ url, uploadData }: { readonly url: string; readonly uploadData?: readonly UploadData[] }): void {
    const [first] = uploadData ?? [];
    if (uploadData?.length !== 1 || first?.blobUUID === undefined) return;
    if (this.#ids.size >= MAX_REMEMBERED) this.#ids.clear();
    this.#ids.set(url, [...(this.#ids.get(url) ?? []), first.blobUUID]);
  }

  /** The body of a request that has arrived. */
  async *of(request: Pick<Request, 'url' | 'body'>): AsyncGenerator<Uint8Array> {
    const [id, ...later] = this.#ids.get(request.url) ?? [];
    if (later.length === 0) this.#ids.delete(request.url);
    else this.#ids.set(request.url, later);
    let isEmpty = true;
    if (request.body !== null) {
      for await (const chunk of request.body as AsyncIterable<Uint8Array>) {
        isEmpty &&= chunk.length === 0;
        yield chunk;
      }
    }
    if (isEmpty && id !== undefined) yield await this.session.getBlobData(id);
  }
}
