import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { within } from './deadline.js';
import { isRecord } from './http-client.js';

/** Commands to a running host over the socket in its data directory: one JSON object a line. */
export class ControlSocket {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  #nextId = 1;

  private constructor(socket: Socket) {
    this.#socket = socket;
    createInterface({ input: socket }).on('line', (line) => this.#receive(line));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('the control socket closed'));
      this.#waiting.clear();
    });
  }

  static async open(dataDir: string): Promise<ControlSocket> {
    const socket = connect(join(dataDir, 'control.sock'));
    const opened = new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve).once('error', reject);
    });
    await within(opened, 'control socket');
    return new ControlSocket(socket);
  }

  async command(command: string, params: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const id = this.#nextId++;
    const result = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#socket.write(`${JSON.stringify({ id, command, params })}\n`);
    const value = await within(result, command);
    return isRecord(value) ? value : { value };
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(line: string): void {
    const message: unknown = JSON.parse(line);
    if (!isRecord(message) || typeof message['id'] !== 'number') return;
    const waiter = this.#waiting.get(message['id']);
    this.#waiting.delete(message['id']);
    const error = message['error'];
    if (isRecord(error)) waiter?.reject(new Error(`${String(error['code'])}: ${String(error['message'])}`));
    else waiter?.resolve(message['result']);
  }
}
