import { describe, expect, it } from 'vitest';
import { bareHost, isLoopbackAddress, isLoopbackHost } from './loopback.js';

describe('what is this machine and no other', () => {
  it.each(['127.0.0.1', '127.8.9.10', '::1', '0:0:0:0:0:0:0:1'])('the address %s', (address) => {
    expect(isLoopbackAddress(address)).toBe(true);
    expect(isLoopbackHost(address)).toBe(true);
  });

  it.each(['localhost', 'LocalHost', '[::1]', '[0:0:0:0:0:0:0:1]'])(
    'the host %s, which is no literal address',
    (host) => {
      expect(isLoopbackAddress(host)).toBe(false);
      expect(isLoopbackHost(host)).toBe(true);
    },
  );

  it.each([
    '0.0.0.0',
    '::',
    '::2',
    '[::2]',
    '128.0.0.1',
    '192.168.1.4',
    '127.0.0',
    '127.evil.example',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '[localhost',
    '',
  ])('not "%s"', (host) => {
    expect(isLoopbackHost(host)).toBe(false);
  });
});

it('a host is bare without brackets and in lower case', () => {
  expect(['[FE80::1]', 'Example.ORG', '[', ''].map(bareHost)).toEqual(['fe80::1', 'example.org', '[', '']);
});
