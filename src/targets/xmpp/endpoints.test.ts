import { describe, expect, it } from 'vitest';
import { endpointsOf, type SrvRecord } from './endpoints.js';

const half = (): number => 0.5;
const record = (name: string, priority: number, port = 5222, weight = 1): SrvRecord => ({
  name,
  priority,
  port,
  weight,
});
const dns = (records: Record<string, SrvRecord[]>) => async (name: string) => {
  const found = records[name];
  if (!found) throw new Error('ENOTFOUND');
  return found;
};

describe('where a server is looked for', () => {
  it('goes where the configuration says, and nowhere else', async () => {
    const found = await endpointsOf('example.org', 'xmpp://10.0.0.1:5222', dns({}), half);
    expect(found).toEqual([{ uri: 'xmpp://10.0.0.1:5222', mayBePlain: false }]);
  });

  it.each(['xmpp://127.0.0.1:5222', 'ws://localhost:5280', 'xmpp://[::1]:5222'])(
    'lets a stream to this machine itself stay plain: %s',
    async (service) => {
      expect((await endpointsOf('example.org', service, dns({}), half))[0]?.mayBePlain).toBe(true);
    },
  );

  it('merges both kinds of SRV records by priority, and never lets DNS take TLS away', async () => {
    const resolve = dns({
      '_xmpps-client._tcp.example.org': [record('tls.example.org', 5, 443)],
      '_xmpp-client._tcp.example.org': [record('localhost', 1), record('b.example.org', 10)],
    });
    expect(await endpointsOf('example.org', null, resolve, half)).toEqual([
      { uri: 'xmpp://localhost:5222', mayBePlain: false },
      { uri: 'xmpps://tls.example.org:443', mayBePlain: false },
      { uri: 'xmpp://b.example.org:5222', mayBePlain: false },
    ]);
  });

  it('tries the standard ports of a domain without records', async () => {
    const found = await endpointsOf('bücher.example', null, dns({}), half);
    expect(found.map(({ uri }) => uri)).toEqual([
      'xmpp://xn--bcher-kva.example:5222',
      'xmpps://xn--bcher-kva.example:5223',
    ]);
  });

  it('takes a lone dot for "not offered"', async () => {
    const resolve = dns({
      '_xmpps-client._tcp.example.org': [record('.', 0)],
      '_xmpp-client._tcp.example.org': [record('a.example.org', 1)],
    });
    expect((await endpointsOf('example.org', null, resolve, half)).map(({ uri }) => uri)).toEqual([
      'xmpp://a.example.org:5222',
    ]);
  });
});
