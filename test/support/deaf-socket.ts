import { createHash, randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { PACKET_SCHEMA } from '../../src/protocol/index.js';
import type { ServerRig } from './server-rig.js';

/** A client that says hello and then never reads a byte. */
export async function deafSocket(rig: ServerRig): Promise<Socket> {
  const socket = connect(rig.port, '127.0.0.1');
  socket.on('error', () => undefined);
  const key = randomBytes(16).toString('base64');
  socket.write(
    `GET /alpha/ws HTTP/1.1\r\nHost: 127.0.0.1:${rig.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\nAuthorization: ${rig.bearer.authorization}\r\n\r\n`,
  );
  const head = await new Promise<string>((resolve) =>
    socket.once('data', (chunk: Buffer) => resolve(chunk.toString())),
  );
  const accepted = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  if (!head.includes(accepted)) throw new Error('the upgrade was refused');
  socket.pause();
  const payload = { connector_card_id: 'im.alpha', protocol_version: '3.0', supported_profiles: ['xagent.im.v2'] };
  socket.write(frame(JSON.stringify({ schema: PACKET_SCHEMA, packet_id: 'h', type: 'connector.hello', payload })));
  return socket;
}

/** One text frame with an all-zero mask (RFC 6455 section 5). */
export function frame(text: string): Buffer {
  const payload = Buffer.from(text);
  const head =
    payload.length < 126
      ? Buffer.from([0x81, 0x80 | payload.length])
      : Buffer.from([0x81, 0x80 | 126, payload.length >> 8, payload.length & 0xff]);
  return Buffer.concat([head, Buffer.alloc(4), payload]);
}
