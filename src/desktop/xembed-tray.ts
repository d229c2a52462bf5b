import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { ByteLine } from './byte-line.js';

/** Milliseconds that the X server may take; it is on this machine. */
const DEADLINE_MS = 1_000;

/** Of an X11 connection that asks two questions (X Window System Protocol, sections 8 and 9): little-endian throughout. */
const LITTLE_ENDIAN = 0x6c;
const PROTOCOL = { major: 11, minor: 0 } as const;
const OPCODE = { internAtom: 16, getSelectionOwner: 23 } as const;
const REPLY_BYTES = 32;
const COOKIE_SCHEME = 'MIT-MAGIC-COOKIE-1';
/** Addresses in an Xauthority file: of this host by name, or of any. */
const FAMILY = { local: 256, wild: 65_535 } as const;

/** Whether something shows XEmbed tray icons on an X screen: it owns the selection `_NET_SYSTEM_TRAY_S<screen>`. Never rejects. */
export async function hasXembedTray(display: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const place = /^(?:unix)?:(\d+)(?:\.(\d+))?$/.exec(display);
  if (place === null) return false;
  const [number, screen] = [place[1] ?? '0', place[2] ?? '0'];
  const line = new ByteLine(connect(`/tmp/.X11-unix/X${number}`), DEADLINE_MS);
  try {
    const cookie = cookieOf(number, env);
    line.write(hello(cookie));
    const head = await line.read(8);
    await line.read(head.readUInt16LE(6) * 4);
    if (head[0] !== 1) return false;
    line.write(internAtom(`_NET_SYSTEM_TRAY_S${screen}`));
    const atom = (await line.read(REPLY_BYTES)).readUInt32LE(8);
    line.write(selectionOwner(atom));
    return (await line.read(REPLY_BYTES)).readUInt32LE(8) !== 0;
  } catch {
    return false;
  } finally {
    line.close();
  }
}

function hello(cookie: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt8(LITTLE_ENDIAN, 0);
  head.writeUInt16LE(PROTOCOL.major, 2);
  head.writeUInt16LE(PROTOCOL.minor, 4);
  const scheme = Buffer.from(cookie.length === 0 ? '' : COOKIE_SCHEME);
  head.writeUInt16LE(scheme.length, 6);
  head.writeUInt16LE(cookie.length, 8);
  return Buffer.concat([head, padded(scheme), padded(cookie)]);
}

function internAtom(name: string): Buffer {
  const bytes = padded(Buffer.from(name));
  const head = Buffer.alloc(8);
  head.writeUInt8(OPCODE.internAtom, 0);
  head.writeUInt16LE((head.length + bytes.length) / 4, 2);
  head.writeUInt16LE(Buffer.byteLength(name), 4);
  return Buffer.concat([head, bytes]);
}

function selectionOwner(atom: number): Buffer {
  const request = Buffer.alloc(8);
  request.writeUInt8(OPCODE.getSelectionOwner, 0);
  request.writeUInt16LE(2, 2);
  request.writeUInt32LE(atom, 4);
  return request;
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
}

/** What the X server wants to see of us, from the person's Xauthority file; empty where there is none and none is needed. */
function cookieOf(display: string, env: NodeJS.ProcessEnv): Buffer {
  let file: Buffer;
  try {
    file = readFileSync(env['XAUTHORITY'] ?? join(homedir(), '.Xauthority'));
  } catch {
    return Buffer.alloc(0);
  }
  for (let at = 0; at + 2 <= file.length;) {
    const family = file.readUInt16BE(at);
    const fields: Buffer[] = [];
    at += 2;
    for (let field = 0; field < 4 && at + 2 <= file.length; field += 1) {
      const length = file.readUInt16BE(at);
      fields.push(file.subarray(at + 2, at + 2 + length));
      at += 2 + length;
    }
    const [address, number, scheme, data] = fields.map((bytes) => bytes);
    const isOurs = family === FAMILY.wild || (family === FAMILY.local && address?.toString() === hostname());
    const isDisplay = number?.length === 0 || number?.toString() === display;
    if (isOurs && isDisplay && scheme?.toString() === COOKIE_SCHEME && data !== undefined) return data;
  }
  return Buffer.alloc(0);
}
