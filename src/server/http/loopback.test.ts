import { describe, expect, it } from 'vitest';
import { bindAddress } from './loopback.js';

describe('the address to listen on', () => {
  it.each(['127.0.0.1', '127.8.9.10', '::1', '0:0:0:0:0:0:0:1'])('%s is loopback', (address) => {
    expect(bindAddress(address)).toBe(address);
  });

  it('localhost means 127.0.0.1, whatever the resolver says', () => {
    expect(bindAddress('LocalHost')).toBe('127.0.0.1');
  });

  it.each([
    '0.0.0.0',
    '::',
    '192.168.1.4',
    '127.evil.example',
    '127.0.0.1.evil.example',
    '127.0.0',
    '',
    '128.0.0.1',
    '::2',
  ])('"%s" is refused by the name of its key', (host) => {
    expect(() => bindAddress(host)).toThrow(expect.objectContaining({ name: 'ServerConfigError', key: 'server.host' }));
  });
});
