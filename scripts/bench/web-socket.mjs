// A WebSocket client that costs next to nothing, so that the measured side is the slower one: frames are made beforehand,
// arrive as bytes, and are only counted where that is all a figure needs.
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';

const TEXT = 0x1;
const CLOSE = 0x8;
const PING = 0x9;
const PONG = 0xa;

/** Opens a socket; set `onText` of what it resolves with, which gets the bytes of every text frame. */
export function openWebSocket(url, headers = {}) {
  const { hostname, port, pathname, host } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    socket.once('error', reject);
    const lines = [
      `GET ${pathname} HTTP/1.1`,
      `Host: ${host}`,
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    let head = Buffer.alloc(0);
    const greet = (chunk) => {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      socket.off('data', greet);
      const status = head.toString('latin1', 9, 12);
      if (status !== '101') {
        socket.destroy();
        reject(new Error(`the upgrade was answered ${status}`));
        return;
      }
      socket.off('error', reject);
      socket.on('error', () => undefined);
      const opened = new Client(socket);
      opened.read(head.subarray(end + 4));
      resolve(opened);
    };
    socket.on('data', greet);
  });
}

/** A text frame from a client, under the mask of zeros, which leaves the bytes as they are. */
export function frameOf(text, opcode = TEXT) {
  const body = Buffer.from(text);
  const size = body.length;
  const extended = size < 126 ? 0 : size < 65_536 ? 2 : 8;
  const frame = Buffer.alloc(2 + extended + 4 + size);
  frame[0] = 0x80 | opcode;
  frame[1] = 0x80 | (extended === 0 ? size : extended === 2 ? 126 : 127);
  if (extended === 2) frame.writeUInt16BE(size, 2);
  if (extended === 8) frame.writeBigUInt64BE(BigInt(size), 2);
  body.copy(frame, 2 + extended + 4);
  return frame;
}

class Client {
  onText = () => undefined;
  #socket;
  #rest = Buffer.alloc(0);
  #closed;

  constructor(socket) {
    this.#socket = socket;
    this.#closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('data', (chunk) => this.read(chunk));
  }

  /** Writes frames made by {@link frameOf} as they are. */
  write(frames) {
    this.#socket.write(frames);
  }

  send(text) {
    this.#socket.write(frameOf(text));
  }

  close() {
    this.#socket.end(frameOf('', CLOSE));
    return this.#closed;
  }

  read(chunk) {
    const data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    for (;;) {
      const frame = frameAt(data, at);
      if (frame === undefined) break;
      at = frame.end;
      if (frame.opcode === TEXT) this.onText(data.subarray(frame.start, frame.end));
      else if (frame.opcode === PING) this.#socket.write(frameOf(data.subarray(frame.start, frame.end), PONG));
      else if (frame.opcode === CLOSE) this.#socket.end();
    }
    this.#rest = data.subarray(at);
  }
}

/** A whole frame from a server, which masks nothing; undefined while it is not all there. */
function frameAt(data, at) {
  if (data.length < at + 2) return undefined;
  const small = data[at + 1] & 0x7f;
  const extended = small < 126 ? 0 : small === 126 ? 2 : 8;
  const start = at + 2 + extended;
  if (data.length < start) return undefined;
  const size =
    extended === 0 ? small : extended === 2 ? data.readUInt16BE(at + 2) : Number(data.readBigUInt64BE(at + 2));
  const end = start + size;
  return data.length < end ? undefined : { opcode: data[at] & 0x0f, start, end };
}
