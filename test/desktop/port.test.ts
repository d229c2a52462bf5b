import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ServerSnapshot } from '../../src/bridge/index.js';
import { Desk } from '../support/desktop/desk.js';
import { CONFIG, DesktopRun } from '../support/desktop/desktop-run.js';

/** Another program has the port: the app says who, offers another, and keeps what the person chose. */

const stranger = createServer();
let port: number;
let desk: Desk;
let run: DesktopRun;

beforeAll(async () => {
  stranger.listen(0, '127.0.0.1');
  await once(stranger, 'listening');
  ({ port } = stranger.address() as AddressInfo);
  desk = await Desk.start({ keyring: 'ready', tray: true });
  run = await DesktopRun.start(desk.session, { config: { ...CONFIG, server: { port } }, ready: false });
});

afterAll(async () => {
  await run.kill();
  await desk.end();
  stranger.close();
});

async function server(): Promise<ServerSnapshot> {
  const { host } = await run.state();
  if (host.stage !== 'running') throw new Error(`the host is ${host.stage}`);
  return host.snapshot.server;
}

it('says who has it, in the window and in the tray, and prints no ready line', async () => {
  await expect.poll(server).toMatchObject({ state: 'port_taken', port, holder: { pid: process.pid } });
  await expect.poll(() => desk.desktop.tooltip()).toBe(`xAgent Connector: port ${port} is taken`);
  expect(run.stdout.entries).toEqual([]);
});

it('takes the port that it offers, says that it is ready there, and keeps the choice', async () => {
  const taken = await server();
  const offered = taken.state === 'port_taken' ? taken.suggestedPort : undefined;
  await run.result('call', 'set-settings', { port: offered });
  expect((await run.ready()).url).toBe(`http://127.0.0.1:${String(offered)}`);
  expect((await run.stop()).code).toBe(0);

  run = await DesktopRun.start(desk.session, { dataDir: run.dataDir, config: { ...CONFIG, server: { port } } });
  expect((await run.ready()).url).toBe(`http://127.0.0.1:${String(offered)}`);
});
