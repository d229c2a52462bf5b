import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isTrueOnBus } from './session-bus.js';

const ASKED = {
  destination: 'org.example.Program',
  path: '/Thing',
  interface: 'org.example.Thing',
  property: 'IsThere',
};
const DEADLINE_MS = 5_000;

/** A message of the bus, as the specification lays it out in bytes. */
function message(type: number, replyTo: number, body: readonly number[] = [], fields: readonly number[] = []): Buffer {
  const all = [...fields, 5, 1, 0x75, 0, replyTo, 0, 0, 0];
  return Buffer.from([0x6c, type, 0, 1, body.length, 0, 0, 0, 9, 0, 0, 0, all.length, 0, 0, 0, ...all, ...body]);
}

const TRUE = [1, 0x62, 0, 0, 1, 0, 0, 0];
const FALSE = [1, 0x62, 0, 0, 0, 0, 0, 0];
/** The field of a destination, filled up to a multiple of eight. */
const TO_US = [6, 1, 0x73, 0, 3, 0, 0, 0, 0x3a, 0x31, 0x2e, 0, 0, 0, 0, 0];
const SIGNAL = message(4, 77, [1, 2, 3], TO_US);

describe('asking the session bus', () => {
  let folder: string;
  let bus: Server | undefined;
  const sockets = new Set<Socket>();
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'xagent-bus-'));
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    bus?.close();
    bus = undefined;
    rmSync(folder, { recursive: true, force: true });
  });

  const env = (): NodeJS.ProcessEnv => ({ DBUS_SESSION_BUS_ADDRESS: `tcp:host=x;unix:path=${folder}/bus,guid=1` });

  /** A bus that lets in, or not, and answers what it then hears. @returns all that it heard */
  async function listening(welcome: string, answers: readonly Buffer[]): Promise<() => Buffer> {
    let heard = Buffer.alloc(0);
    bus = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('data', () => {
        for (const said of [welcome, ...answers]) socket.write(said);
      });
      socket.on('data', (bytes: Buffer) => {
        heard = Buffer.concat([heard, bytes]);
      });
    });
    await new Promise<void>((resolve) => bus?.listen(join(folder, 'bus'), resolve));
    return () => heard;
  }

  it('tells whether the property is true, whatever else is said in between', async () => {
    await listening('OK 1234\r\n', [message(2, 1, [3, 0, 0, 0]), SIGNAL, message(2, 2, TRUE, TO_US)]);
    expect(await isTrueOnBus(ASKED, env(), DEADLINE_MS)).toBe(true);
  });

  it.each([
    ['it is false', message(2, 2, FALSE)],
    ['there is no such program', message(3, 2)],
    ['it is something else', message(2, 2, [1, 0x79, 0, 1])],
  ])('tells that it is not: %s', async (_, answer) => {
    await listening('OK 1234\r\n', [message(2, 1), answer]);
    expect(await isTrueOnBus(ASKED, env(), DEADLINE_MS)).toBe(false);
  });

  it('asks in the words of the bus', async () => {
    const heard = await listening('OK 1234\r\n', [message(2, 2, TRUE)]);
    await isTrueOnBus(ASKED, env(), DEADLINE_MS);
    const text = heard().toString('latin1');
    expect(text.slice(1)).toMatch(/^AUTH EXTERNAL (3\d)+\r\nBEGIN\r\nl/);
    expect(text).toContain('BEGIN\r\nl\x01\0\x01');
    const words = [
      ASKED.path,
      'org.freedesktop.DBus.Properties',
      'Get',
      ASKED.destination,
      ASKED.interface,
      ASKED.property,
    ];
    for (const word of words) expect(text).toContain(`${String.fromCharCode(word.length)}\0\0\0${word}\0`);
  });

  it('says so when there is no bus, one that lets nobody in, or one that speaks otherwise', async () => {
    expect(await isTrueOnBus(ASKED, {}, DEADLINE_MS)).toBe('unreachable');
    expect(await isTrueOnBus(ASKED, { DBUS_SESSION_BUS_ADDRESS: 'unix:abstract=/x' }, DEADLINE_MS)).toBe('unreachable');
    expect(await isTrueOnBus(ASKED, env(), DEADLINE_MS)).toBe('unreachable');
    await listening('REJECTED EXTERNAL\r\n', []);
    expect(await isTrueOnBus(ASKED, { XDG_RUNTIME_DIR: folder }, DEADLINE_MS)).toBe('unreachable');
    bus?.close();
    await listening('OK 1234\r\n', [Buffer.alloc(64, 0xff)]);
    expect(await isTrueOnBus(ASKED, env(), DEADLINE_MS)).toBe('unreachable');
  });

  it('says so when there is no answer in time', async () => {
    await listening('', []);
    expect(await isTrueOnBus(ASKED, env(), 20)).toBe('late');
  });
});
