import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Desk } from '../support/desktop/desk.js';
import { DesktopRun } from '../support/desktop/desktop-run.js';
import { FAR_HOST, FarTelegram } from '../support/far-telegram.js';
import type { TestProxy } from '../support/test-proxy.js';

/** The app takes the system's own proxy settings, an automatic configuration too: Telegram through a proxy, this machine straight (B35). */

const rig = new FarTelegram();
let proxy: TestProxy;
let pac: Server;
let fetched = 0;
let desk: Desk;
let run: DesktopRun;

beforeAll(async () => {
  proxy = await rig.prepare();
  pac = createServer((_, response) => {
    fetched += 1;
    response.setHeader('Content-Type', 'application/x-ns-proxy-autoconfig');
    response.end(`function FindProxyForURL(url, host) {
      return host === '${FAR_HOST}' && url === 'https://${FAR_HOST}/' ? 'PROXY ${proxy.address}' : 'DIRECT';
    }`);
  });
  await new Promise<void>((resolve) => pac.listen(0, '127.0.0.1', resolve));
  desk = await Desk.start({ keyring: 'ready', tray: true });
  run = await DesktopRun.start(desk.session, {
    args: [`--proxy-pac-url=http://127.0.0.1:${String((pac.address() as AddressInfo).port)}/proxy.pac`],
    // The main process of Electron reads no further authorities from its environment; whom to trust is no matter of proxies.
    env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    config: { server: { port: 0 }, log: { level: 'debug' }, ...rig.config() },
  });
});

afterAll(async () => {
  await run.kill();
  await desk.end();
  await rig.stop();
  pac.close();
});

async function telegram() {
  const { host } = await run.state();
  const found = host.stage === 'running' ? host.snapshot.connectors.find(({ name }) => name === 'telegram') : undefined;
  if (found === undefined) throw new Error('there is no Telegram');
  return found;
}

it('shows the proxy before anybody is signed in', async () => {
  await expect
    .poll(async () => (await telegram()).way)
    .toEqual({ source: 'system', proxy: { kind: 'http', address: proxy.address } });
  expect(fetched).toBeGreaterThan(0);
  const page = await run.page();
  await page.evaluate('void (location.hash = "#/settings")');
  await page.getByText(`From the system: ${proxy.address}. Local addresses go direct.`).waitFor();
});

it('signs in and receives through it', async () => {
  const { authSessionId } = await run.result<{ authSessionId?: string }>('call', 'sign-in', {
    connector: 'telegram',
    input: rig.input(),
  });
  expect(authSessionId).toBeDefined();
  await expect.poll(async () => (await telegram()).accounts[0]?.state.status).toBe('connected');
  expect(new Set(proxy.asked)).toEqual(new Set([`${FAR_HOST}:443`]));
});

it('names the proxy in the account’s sentence when it is gone, and goes on when it is back', async () => {
  const page = await run.page();
  await page.evaluate('void (location.hash = "#/accounts")');
  await proxy.stop();
  await page.getByText(`Can’t reach the proxy ${proxy.address}`).first().waitFor({ timeout: 60_000 });
  await proxy.resume();
  await expect.poll(async () => (await telegram()).accounts[0]?.state.status).toBe('connected');
});
