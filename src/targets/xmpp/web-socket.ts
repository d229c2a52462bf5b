import { EventEmitter } from 'node:events';
import WebSocket, { type RawData } from 'ws';
import type { WayOut } from '../../base/proxy/way-out.js';

/**
 * XMPP over WebSocket (RFC 7395) for the library, whose own socket needs a global `WebSocket` that not every runtime here has.
 * It speaks the events the library listens to: connect, data, close, error.
 */
export class WebSocketSocket extends EventEmitter {
  secure = false;
  readonly #wayOut: WayOut;
  #socket: WebSocket | undefined;

  constructor(wayOut: WayOut) {
    super();
    this.#wayOut = wayOut;
  }

  connect(uri: string): void {
    this.secure = uri.startsWith('wss:');
    const agent = this.#wayOut.agent(this.secure);
    const socket = new WebSocket(uri, ['xmpp'], { followRedirects: false, agent });
    this.#socket = socket;
    socket.on('open', () => this.emit('connect'));
    socket.on('message', (data: RawData) => this.emit('data', bytesOf(data)));
    socket.on('error', (error) => this.emit('error', error));
    socket.on('close', () => this.emit('close', false));
  }

  write(text: string, done: (error?: Error) => void): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(text, done);
    else done(new Error('the socket is not open'));
  }

  end(): void {
    this.#socket?.close();
  }

  destroy(): void {
    this.#socket?.terminate();
  }
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? Buffer.from(data) : data;
}
