import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.js';
import type { Snapshot } from '../bridge/index.js';
import { CommandError } from './command-error.js';
import type { Execute } from './commands.js';
import { connectControl, HostUnreachableError, type ControlClient } from './control-client.js';
import { openControlSocket, type ControlSocket } from './control-socket.js';
import { Listeners } from './listeners.js';

let folder: string;
let sockets: ControlSocket[];
let clients: ControlClient[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ctl-'));
  sockets = [];
  clients = [];
});

afterEach(async () => {
  for (const client of clients) client.close();
  await Promise.all(sockets.map((socket) => socket.close()));
  rmSync(folder, { recursive: true, force: true });
});

async function serve(dataDir = folder) {
  const clock = new ManualClock();
  const changes = new Listeners();
  const calls: unknown[] = [];
  let pid = 1;
  const snapshot = (): Snapshot => ({ pid: pid++ }) as unknown as Snapshot;
  const execute = (async (command: string, params: unknown) => {
    calls.push([command, params]);
    if (command === 'sign-out') throw new CommandError('unknown_account', 'there is no such account');
    if (command === 'retry') throw new Error('secret internals');
    return command === 'snapshot' ? snapshot() : {};
  }) as Execute;
  const socket = await openControlSocket({
    dataDir,
    execute,
    snapshot,
    onChange: (fn) => changes.add(fn),
    clock,
    log: pino({ level: 'silent' }),
  });
  sockets.push(socket);
  return { clock, changes, calls, socket };
}

async function client(dataDir = folder): Promise<ControlClient> {
  const control = await connectControl(dataDir);
  clients.push(control);
  return control;
}

describe('commands', () => {
  test('are answered with their results, also many at once', async () => {
    const { calls } = await serve();
    const control = await client();
    await Promise.all([control.call('pause', { paused: true }), control.call('snapshot'), control.call('api-key')]);
    expect(calls).toEqual([
      ['pause', { paused: true }],
      ['snapshot', undefined],
      ['api-key', undefined],
    ]);
  });

  test('that are refused say their code; unforeseen errors say nothing of their insides', async () => {
    await serve();
    const control = await client();
    await expect(control.call('sign-out', { accountId: 'x' })).rejects.toMatchObject({ code: 'unknown_account' });
    const failure = control.call('retry', { accountId: 'x' });
    await expect(failure).rejects.toMatchObject({ code: 'internal_error' });
    await expect(failure).rejects.not.toThrow(/secret internals/);
  });

  test('that do not exist are refused', async () => {
    await serve();
    expect(await raw('{"id":7,"command":"toString"}\n')).toMatchObject([{ id: 7, error: { code: 'unknown_command' } }]);
  });

  test.each(['nonsense\n', '[]\n', '{"id":"x","command":"snapshot"}\n', 'x'.repeat(1024 * 1024 + 10)])(
    'a line that is no request ends the connection with the reason',
    async (line) => {
      await serve();
      expect(await raw(line)).toMatchObject([{ id: null, error: { code: 'invalid_request' } }]);
    },
  );
});

test('a subscriber gets the present snapshot, then at most one per interval, the latest', async () => {
  const { clock, changes } = await serve();
  const control = await client();
  const seen: number[] = [];
  await control.subscribe((snapshot) => seen.push(snapshot.pid));
  await expect.poll(() => seen).toEqual([1]);
  for (let index = 0; index < 5; index += 1) {
    changes.notify();
    await clock.advance(10);
  }
  await clock.advance(1000);
  await expect.poll(() => seen).toEqual([1, 2]);
});

test('only its owner can reach it', async () => {
  await serve();
  expect(statSync(join(folder, 'control.sock')).mode & 0o777).toBe(0o600);
});

test('a data directory whose path is longer than a socket address works all the same, and this process stays where it was', async () => {
  const long = join(folder, 'd'.repeat(100), 'e'.repeat(100));
  mkdirSync(long, { recursive: true });
  const before = process.cwd();
  const { socket } = await serve(long);
  const control = await client(long);
  expect(await control.call('snapshot')).toEqual({ pid: 1 });
  expect(process.cwd()).toBe(before);
  control.close();
  await socket.close();
  await expect(connectControl(long)).rejects.toThrow(HostUnreachableError);
});

test('what a killed host left behind does not keep the next one from listening', async () => {
  const { socket } = await serve();
  await socket.close();
  const stale = connectControl(folder);
  await expect(stale).rejects.toThrow(HostUnreachableError);
  await serve();
  await serve();
  expect(await (await client()).call('pause', { paused: true })).toEqual({});
});

test('no host is said as such, and so is a host that ends while it is asked', async () => {
  await expect(connectControl(folder)).rejects.toThrow(HostUnreachableError);
  const { socket } = await serve();
  const control = await client();
  await socket.close();
  await expect(control.call('snapshot')).rejects.toThrow(HostUnreachableError);
});

/** Sends bytes as they are and returns every line that came back before the other end closed. */
function raw(text: string): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(join(folder, 'control.sock'));
    let answer = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      answer += chunk;
      if (answer.includes('\n')) socket.end();
    });
    socket.once('close', () =>
      resolve(
        answer
          .split('\n')
          .filter(Boolean)
          .map((line): unknown => JSON.parse(line)),
      ),
    );
    socket.once('error', reject);
    socket.write(text);
  });
}
