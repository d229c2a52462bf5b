import { afterEach, describe, expect, test } from 'vitest';
import { Squatter } from '../../test/support/squatter.js';
import { findPortHolder, listeningInodes, parseLsof, parseNetstat, parseTasklist } from './port-holder.js';

let squatter: Squatter | undefined;

afterEach(async () => {
  await squatter?.leave();
  squatter = undefined;
});

test.runIf(process.platform === 'linux')('a program of one’s own is found by its port', async () => {
  squatter = await Squatter.start();
  const { port } = squatter;
  expect(await findPortHolder(port)).toMatchObject({ pid: process.pid, name: expect.stringMatching(/./) });
  await squatter.leave();
  expect(await findPortHolder(port)).toBeUndefined();
});

test('a system that is not known says nothing', async () => {
  expect(await findPortHolder(1, 'aix')).toBeUndefined();
});

describe('what the systems answer is read', () => {
  test('of Linux: only sockets that listen, and only on the very port', () => {
    const table = [
      '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
      '   0: 0100007F:4A88 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4242 1 0 100 0 0 10 0',
      '   1: 0100007F:4A88 0100007F:D431 01 00000000:00000000 00:00000000 00000000  1000        0 4343 1 0 20 4 30 10 -1',
      '   2: 0100007F:4A89 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4444 1 0 100 0 0 10 0',
    ].join('\n');
    expect(listeningInodes(table, 0x4a88)).toEqual(['4242']);
    expect(listeningInodes(table, 80)).toEqual([]);
  });

  test('of macOS', () => {
    expect(parseLsof('p4711\ncnode\nf23\n')).toEqual({ pid: 4711, name: 'node' });
    expect(parseLsof('')).toBeUndefined();
  });

  test('of Windows, in any language', () => {
    const output = [
      'Aktive Verbindungen',
      '  Proto  Lokale Adresse         Remoteadresse          Status           PID',
      '  TCP    127.0.0.1:19080        0.0.0.0:0              ABHÖREN          4711',
      '  TCP    127.0.0.1:19080        127.0.0.1:50000        HERGESTELLT      4711',
      '  TCP    [::1]:19081            [::]:0                 ABHÖREN          815',
    ].join('\r\n');
    expect(parseNetstat(output, 19_080)).toBe(4711);
    expect(parseNetstat(output, 19_081)).toBe(815);
    expect(parseNetstat(output, 1908)).toBeUndefined();
    expect(parseTasklist('"node.exe","4711","Console","1","50.000 K"\r\n')).toBe('node.exe');
    expect(parseTasklist('INFO: No tasks are running')).toBeUndefined();
  });
});
