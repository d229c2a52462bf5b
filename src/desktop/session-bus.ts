import { connect } from 'node:net';
import { join } from 'node:path';
import { ByteLine, LateError } from './byte-line.js';

/** Of a connection to the session bus that asks one question (D-Bus Specification): little-endian throughout. */
const LITTLE_ENDIAN = 0x6c;
const VERSION = 1;
const CALL = 1;
const RETURN = 2;
/** Fields of a message's header, with the type of each. */
const FIELDS = {
  path: [1, 'o'],
  interface: [2, 's'],
  member: [3, 's'],
  replySerial: [5, 'u'],
  destination: [6, 's'],
  signature: [8, 'g'],
} as const;
const FIXED_BYTES = 16;
/** Nothing that is asked for here comes near it; the bus itself takes 128 MiB. Bytes. */
const MAX_MESSAGE = 65_536;
/** The longest line of the handshake. Bytes. */
const MAX_LINE = 1_024;

const BUS = 'org.freedesktop.DBus';
const BUS_PATH = '/org/freedesktop/DBus';
const PROPERTIES = 'org.freedesktop.DBus.Properties';

/** A property of an object of some program on the bus. */
export interface BusProperty {
  readonly destination: string;
  readonly path: string;
  readonly interface: string;
  readonly property: string;
}

/**
 * Whether a property on the person's session bus is true; false also when there is no such program. Never rejects.
 * @returns `unreachable` where no bus can be reached in this way, `late` when it gave no answer in time
 */
export async function isTrueOnBus(
  asked: BusProperty,
  env: NodeJS.ProcessEnv,
  deadlineMs: number,
): Promise<boolean | 'unreachable' | 'late'> {
  const socket = socketOf(env);
  const user = process.getuid?.();
  if (socket === undefined || user === undefined) return 'unreachable';
  const line = new ByteLine(connect(socket), deadlineMs);
  try {
    const { destination, path } = asked;
    const parameters = [asked.interface, asked.property];
    // All at once, as others do too: each answer that is waited for costs a turn of an event loop that is busy starting.
    line.write(
      Buffer.concat([
        Buffer.from(`\0AUTH EXTERNAL ${Buffer.from(String(user)).toString('hex')}\r\nBEGIN\r\n`),
        call(1, { path: BUS_PATH, interface: BUS, member: 'Hello', destination: BUS }),
        call(2, { path, interface: PROPERTIES, member: 'Get', destination }, parameters),
      ]),
    );
    if (!(await readLine(line)).startsWith('OK ')) return 'unreachable';
    for (;;) {
      const message = await readMessage(line);
      if (message.replyTo === 2) return message.type === RETURN && isTrue(message.body, message.isLittle);
    }
  } catch (error) {
    return error instanceof LateError ? 'late' : 'unreachable';
  } finally {
    line.close();
  }
}

/** The first address that is a socket in the file system; others are rare, and known to the desktop's own programs. */
function socketOf(env: NodeJS.ProcessEnv): string | undefined {
  const addresses = env['DBUS_SESSION_BUS_ADDRESS'];
  if (addresses === undefined) return env['XDG_RUNTIME_DIR'] && join(env['XDG_RUNTIME_DIR'], 'bus');
  const path = addresses
    .split(';')
    .map((address) => /^unix:(?:.*,)?path=([^,]+)/.exec(address)?.[1])
    .find((found) => found !== undefined);
  try {
    return path && decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

async function readLine(line: ByteLine): Promise<string> {
  let text = '';
  while (!text.endsWith('\r\n')) {
    if (text.length > MAX_LINE) throw new Error('the bus does not speak as it should');
    text += (await line.read(1)).toString('latin1');
  }
  return text;
}

interface Message {
  readonly type: number | undefined;
  readonly replyTo: number | undefined;
  readonly body: Buffer;
  readonly isLittle: boolean;
}

async function readMessage(line: ByteLine): Promise<Message> {
  const head = await line.read(FIXED_BYTES);
  const isLittle = head[0] === LITTLE_ENDIAN;
  const [bodyBytes, fieldBytes] = [number(head, 4, isLittle), number(head, 12, isLittle)];
  if (bodyBytes + fieldBytes > MAX_MESSAGE) throw new Error('the bus does not speak as it should');
  const fields = (await line.read(aligned(fieldBytes, 8))).subarray(0, fieldBytes);
  return { type: head[1], replyTo: replySerialOf(fields, isLittle), body: await line.read(bodyBytes), isLittle };
}

/** Walks over the fields before it. */
function replySerialOf(fields: Buffer, isLittle: boolean): number | undefined {
  for (let at = 0; at + 8 <= fields.length; at = aligned(at, 8)) {
    const [code, type] = [fields[at], String.fromCharCode(fields[at + 2] ?? 0)];
    at += 4;
    if (code === FIELDS.replySerial[0]) return number(fields, at, isLittle);
    if (type === 'g') at += 2 + (fields[at] ?? 0);
    else at += type === 's' || type === 'o' ? 4 + number(fields, at, isLittle) + 1 : 4;
  }
  return undefined;
}

/** The variant that `Get` answers: the signature `b`, and a number that is 1 or 0. */
function isTrue(body: Buffer, isLittle: boolean): boolean {
  return body.length === 8 && body.toString('latin1', 0, 3) === '\x01b\0' && number(body, 4, isLittle) === 1;
}

type Header = Readonly<Record<'path' | 'interface' | 'member' | 'destination', string>>;

function call(serial: number, header: Header, parameters: readonly string[] = []): Buffer {
  const body = joined(parameters.map(text), 4);
  const fields = (['path', 'interface', 'member', 'destination'] as const).map((name) => field(name, header[name]));
  if (parameters.length > 0) fields.push(field('signature', 's'.repeat(parameters.length)));
  const list = joined(fields, 8);
  const head = Buffer.alloc(FIXED_BYTES);
  head.writeUInt8(LITTLE_ENDIAN, 0);
  head.writeUInt8(CALL, 1);
  head.writeUInt8(VERSION, 3);
  head.writeUInt32LE(body.length, 4);
  head.writeUInt32LE(serial, 8);
  head.writeUInt32LE(list.length, 12);
  return Buffer.concat([joined([head, list, Buffer.alloc(0)], 8), body]);
}

function field(name: keyof typeof FIELDS, value: string): Buffer {
  const [code, type] = FIELDS[name];
  const start = Buffer.from([code, 1, type.charCodeAt(0), 0]);
  return Buffer.concat([
    start,
    type === 'g' ? Buffer.from(`${String.fromCharCode(value.length)}${value}\0`) : text(value),
  ]);
}

/** A string as the bus takes it. */
function text(value: string): Buffer {
  const bytes = Buffer.from(`${value}\0`);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length - 1, 0);
  return Buffer.concat([length, bytes]);
}

/** Each part begins at a multiple of `align`; what comes after the last one is not filled up. */
function joined(parts: readonly Buffer[], align: number): Buffer {
  return parts.reduce(
    (all, part) => Buffer.concat([all, Buffer.alloc(aligned(all.length, align) - all.length), part]),
    Buffer.alloc(0),
  );
}

function aligned(at: number, align: number): number {
  return Math.ceil(at / align) * align;
}

function number(bytes: Buffer, at: number, isLittle: boolean): number {
  return isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
}
