import { describe, expect, it } from 'vitest';
import { isPublicAddress } from './hosts.js';
import { reachOf } from './reach.js';

const RULES = { ownDomains: ['example.org'], loopback: false };
const may = (url: string, rules = RULES): boolean => reachOf(new URL(url), rules) !== undefined;
const looksUp = (url: string, rules = RULES): Promise<string> =>
  new Promise((resolve) => {
    const lookup = reachOf(new URL(url), rules)?.lookup;
    if (!lookup) resolve('any');
    else
      lookup(new URL(url).hostname, {}, (error, address) =>
        resolve(error ? (error.code ?? 'error') : JSON.stringify(address)),
      );
  });

describe('where a link may lead', () => {
  it.each([
    'http://example.net/x',
    'https://127.0.0.1/x',
    'https://localhost/x',
    'https://[::1]/x',
    'https://[::ffff:10.0.0.1]/x',
    'https://10.1.2.3/x',
    'https://169.254.169.254/latest/meta-data',
    'https://2130706433/x',
    'https://user:secret@example.net/x',
  ])('not to %s', (url) => expect(may(url)).toBe(false));

  it('to the public internet by https', () => {
    expect(may('https://8.8.8.8/x')).toBe(true);
    expect(may('https://example.net/x')).toBe(true);
  });

  it('not to a public name of this machine, not even one of our own domain', async () => {
    const rules = { ownDomains: ['localhost.localdomain'], loopback: false };
    expect(await looksUp('https://localhost.localdomain/x', rules)).not.toMatch(/127\.|::1|^any$/);
    expect(await looksUp('https://ip6-localhost/x')).not.toMatch(/127\.|::1|^any$/);
  });

  it('to this machine by http only where the configured server is this machine', () => {
    expect(may('http://127.0.0.1:5280/x', { ownDomains: [], loopback: true })).toBe(true);
    expect(may('http://10.0.0.1:5280/x', { ownDomains: [], loopback: true })).toBe(false);
  });

  it.each([
    '10.0.0.1',
    '172.31.0.1',
    '192.168.0.1',
    '100.64.0.1',
    '0.0.0.0',
    '::1',
    'fe80::1',
    'fd00::1',
    '::ffff:192.168.0.1',
    'x',
  ])('%s is no public address', (address) => expect(isPublicAddress(address)).toBe(false));
  it.each(['8.8.8.8', '::ffff:8.8.8.8', '2606:4700::1111'])('%s is one', (address) =>
    expect(isPublicAddress(address)).toBe(true),
  );
});
