import { randomBytes } from 'node:crypto';
import type WebSocket from 'ws';
import { isRecord } from './http-client.js';
import type { WirePacket } from './wire-rules.js';

/** An id as xAgent might make one. */
export function id(prefix: string): string {
  return `${prefix}_${randomBytes(8).toString('hex')}`;
}

export function statusOf(descriptor: unknown): string {
  const connection = isRecord(descriptor) ? descriptor['connection'] : undefined;
  return isRecord(connection) ? String(connection['status']) : 'none';
}

export function rawText(data: WebSocket.RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return Buffer.isBuffer(data) ? data.toString('utf8') : Buffer.from(data).toString('utf8');
}

export function isWirePacket(value: unknown): value is WirePacket {
  return isRecord(value) && typeof value['type'] === 'string';
}
