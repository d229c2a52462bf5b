import { connect, type Socket } from 'node:net';
import { within } from './deadline.js';
import { rawStatus } from './http-client.js';
import { upgradeRequest } from './raw-upgrade.js';

/** A client of a connector's data plane that says hello and then never reads a byte. */
export async function deafSocket(at: { port: number; connector: string; apiKey: string }): Promise<Socket> {
  const socket = connect(at.port, '127.0.0.1');
  socket.on('error', () => undefined);
  const headers = [`Host: 127.0.0.1:${at.port}`, `Authorization: Bearer ${at.apiKey}`];
  socket.write(upgradeRequest(`/${at.connector}/ws`, headers));
  const answered = new Promise<string>((resolve) => socket.once('data', (chunk: Buffer) => resolve(chunk.toString())));
  const head = await within(answered, 'the upgrade');
  if (rawStatus(head) !== 101) throw new Error('the upgrade was refused');
  socket.pause();
  const schema = 'xagent.connector.packet/v1';
  const payload = {
    connector_card_id: `im.${at.connector}`,
    protocol_version: '3.0',
    supported_profiles: ['xagent.im.v2'],
  };
  socket.write(frame(JSON.stringify({ schema, packet_id: 'h', type: 'connector.hello', payload })));
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
