import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { ONLY_LOCAL } from '../../../test/support/host-in-process.js';
import { TestProxy } from '../../../test/support/test-proxy.js';
import { systemClock } from '../../base/clock.js';
import type { AccountSnapshot, Snapshot } from '../../bridge/index.js';
import { parseConfig } from '../config.js';
import { WaysOut } from '../ways-out.js';
import { checkAccounts } from './accounts.js';
import { checkNetworks } from './networks.js';

test('a network out of reach is broken only where somebody is signed in', async () => {
  // Port 9 of this machine: nobody listens.
  const config = parseConfig({
    connectors: {
      wechat: { enabled: false },
      feishu: { enabled: false },
      telegram: { apiRoot: 'http://127.0.0.1:9' },
      xmpp: { enabled: false },
      local: { enabled: false },
    },
  });
  const waysOut = new WaysOut({ config, clock: systemClock, system: () => undefined });
  const telegram = async (signedIn: boolean) => (await checkNetworks(config, waysOut, () => signedIn)).findings;
  expect(await telegram(true)).toMatchObject([{ check: 'telegram', status: 'broken' }]);
  expect(await telegram(false)).toMatchObject([{ check: 'telegram', status: 'warn' }]);
});

test('a network without an address of its own has its line as well', async () => {
  const others = { wechat: { enabled: false }, feishu: { enabled: false }, telegram: { enabled: false } };
  const config = parseConfig({ connectors: others });
  const waysOut = new WaysOut({ config, clock: systemClock, system: () => undefined });
  const { findings } = await checkNetworks(config, waysOut, () => false);
  expect(findings).toMatchObject([
    { check: 'xmpp', status: 'ok', detail: 'the address of each account says where its server is' },
    { check: 'local', status: 'ok', detail: 'in this program: there is nothing to reach' },
  ]);
});

test.each([
  ['secrets_locked', /PASSPHRASE/],
  ['store_disk_full', /disk/],
  ['unreachable', /check the network/],
  ['proxy_unreachable', /start the proxy/],
])('an account that is out of touch because of %s is told what helps', (code, todo) => {
  const account = { displayName: 'Kim', state: { status: 'offline', code, since: 1 } } as AccountSnapshot;
  const running = { connectors: [{ name: 'telegram', accounts: [account] }] } as unknown as Snapshot;
  expect(checkAccounts(running)).toMatchObject([{ status: 'broken', todo: expect.stringMatching(todo) }]);
});

describe('a network behind a proxy', () => {
  const findings = async (proxy: string, apiRoot = 'http://127.0.0.1:9') => {
    const config = parseConfig({ connectors: { ...ONLY_LOCAL, telegram: { apiRoot, proxy } } });
    const waysOut = new WaysOut({ config, clock: systemClock, system: () => undefined });
    const all = (await checkNetworks(config, waysOut, () => true)).findings;
    return all.filter(({ check }) => check === 'telegram');
  };

  test('that is not there, or refuses, is told about the proxy and not about the network', async () => {
    const proxy = await TestProxy.start();
    const values = { host: 'telegram.test', proxy: proxy.address };
    proxy.refuses = 407;
    expect(await findings(`http://${proxy.address}`, 'https://telegram.test')).toMatchObject([
      { status: 'broken', code: 'proxy_refused', values: { ...values, reason: '407' } },
    ]);
    await proxy.stop();
    expect(await findings(`http://${proxy.address}`, 'https://telegram.test')).toMatchObject([
      { status: 'broken', code: 'proxy_unreachable', values },
    ]);
  });

  test('that takes the connection and says nothing is named', async () => {
    const silent = createServer();
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const address = `127.0.0.1:${String((silent.address() as AddressInfo).port)}`;
    const config = parseConfig({ connectors: { ...ONLY_LOCAL, telegram: { apiRoot: 'https://telegram.test' } } });
    const system = { find: async () => `PROXY ${address}`, credentials: new Map() };
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const taken = once(silent, 'connection') as Promise<[Socket]>;
      const checked = checkNetworks(
        config,
        new WaysOut({ config, clock: systemClock, system: () => system }),
        () => true,
      );
      const [socket] = await taken;
      vi.runAllTimers();
      expect((await checked).findings).toContainEqual(
        expect.objectContaining({
          code: 'network_unreachable_through_proxy',
          values: { host: 'telegram.test', proxy: address, reason: 'TimeoutError' },
        }),
      );
      socket.destroy();
    } finally {
      vi.useRealTimers();
      silent.close();
    }
  });

  test('that is on this machine goes past it', async () => {
    expect(await findings('http://127.0.0.1:9')).toMatchObject([{ code: 'network_unreachable' }]);
  });
});
