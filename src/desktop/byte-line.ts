import type { Socket } from 'node:net';

/** The other end said nothing in time. */
export class LateError extends Error {
  override readonly name = 'LateError';
}

/** A socket read by numbers of bytes, within a deadline for all of it. */
export class ByteLine {
  readonly #socket: Socket;
  readonly #late: NodeJS.Timeout;
  #buffered: Buffer = Buffer.alloc(0);
  #wake: () => void = () => undefined;
  #ended: Error | undefined;

  /** @param deadlineMs from now until its end */
  constructor(socket: Socket, deadlineMs: number) {
    this.#socket = socket;
    this.#late = setTimeout(() => this.#end(new LateError('there was no answer in time')), deadlineMs);
    socket.on('data', (bytes: Buffer) => {
      this.#buffered = Buffer.concat([this.#buffered, bytes]);
      this.#wake();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => this.#end(new Error('the other end closed the connection')));
  }

  write(bytes: Buffer): void {
    this.#socket.write(bytes);
  }

  /** @throws LateError, Error once it is closed */
  async read(count: number): Promise<Buffer> {
    while (this.#buffered.length < count) {
      if (this.#ended !== undefined) throw this.#ended;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    const bytes = this.#buffered.subarray(0, count);
    this.#buffered = this.#buffered.subarray(count);
    return bytes;
  }

  close(): void {
    clearTimeout(this.#late);
    this.#socket.destroy();
  }

  #end(why: Error): void {
    this.#ended ??= why;
    this.#wake();
  }
}
