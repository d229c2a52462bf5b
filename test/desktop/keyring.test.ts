import dbus from 'dbus-next';
import { afterEach, describe, expect, it } from 'vitest';
import type { AccountSnapshot, SecretsSnapshot, Snapshot } from '../../src/bridge/index.js';
import { Desk } from '../support/desktop/desk.js';
import { CONFIG, DesktopRun } from '../support/desktop/desktop-run.js';
import { holdsOf } from '../support/page-holds.js';
import type { Keyring } from '../support/desktop/private-session.js';

/** A real Secret Service in each of its moods: nothing hangs, nothing weaker is taken without being asked. */

/** As long as a person keeps it in mind. */
const PASSPHRASE = 'a passphrase of this test';
const WRONG_PASSPHRASE = 'not the one it was';
/** The contract's time for a way out, milliseconds. */
const STOP_MS = 5_000;

let desk: Desk;
let run: DesktopRun;

afterEach(async () => {
  await run.kill();
  await desk.end();
});

async function begin(keyring: Keyring): Promise<void> {
  desk = await Desk.start({ keyring, tray: true });
  run = await DesktopRun.start(desk.session);
}

async function snapshot(): Promise<Snapshot> {
  const { host } = await run.state();
  if (host.stage !== 'running') throw new Error(`the host is ${host.stage}`);
  return host.snapshot;
}

async function secrets(): Promise<SecretsSnapshot> {
  return (await snapshot()).secrets;
}

/** The one account of the local chat. */
async function account(): Promise<AccountSnapshot | undefined> {
  return (await snapshot()).connectors.find(({ name }) => name === 'local')?.accounts[0];
}

async function copiedKey(): Promise<string> {
  await run.result('shell', 'copy-api-key');
  return run.app.evaluate(({ clipboard }) => clipboard.readText());
}

describe('the keychain', () => {
  it('that is open keeps the key, which is copied and never shown', async () => {
    await begin('ready');
    await expect.poll(secrets).toMatchObject({ kind: 'keychain', state: 'ready' });
    const key = await copiedKey();
    expect(key).toMatch(/^[\w-]{43}$/);
    const { url } = await run.ready();
    expect((await fetch(`${url}/status`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
    expect(await run.result('shell', 'copy-api-key')).toEqual({});
  });

  it('gives everything to the encrypted file when the person says so, and takes it back', async () => {
    await begin('ready');
    await expect.poll(secrets).toMatchObject({ kind: 'keychain', state: 'ready' });
    const input = { display_name: 'Ada' };
    await run.result('call', 'sign-in', { connector: 'local', input });
    await expect.poll(account).toMatchObject({ state: { status: 'connected' } });
    const key = await copiedKey();

    await run.result('shell', 'use-secret-file', { passphrase: PASSPHRASE });
    await expect.poll(secrets).toMatchObject({ kind: 'file', state: 'ready' });
    await expect.poll(account).toMatchObject({ state: { status: 'connected' } });
    expect(await copiedKey()).toBe(key);

    await run.result('shell', 'use-keychain');
    await expect.poll(secrets).toMatchObject({ kind: 'keychain', state: 'ready' });
    await expect.poll(account).toMatchObject({ state: { status: 'connected' } });
    expect(await copiedKey()).toBe(key);
  });

  it('that is locked leaves window and tray alive, and the way out open', async () => {
    await begin('locked');
    await expect.poll(secrets).toMatchObject({ kind: 'keychain', state: 'locked', code: 'keychain_locked' });
    await expect.poll(() => desk.desktop.tooltip()).toBe('xAgent Connector: sign-ins can’t be read');
    expect(await run.call('shell', 'copy-api-key')).toMatchObject({ error: { code: 'secret_store_unavailable' } });
    expect((await run.stop()).ms).toBeLessThan(STOP_MS);
  });

  it('E13: that is absent is no keychain: the secret file takes its place only when asked, and asks for its passphrase', async () => {
    await begin('absent');
    await expect.poll(secrets).toMatchObject({ kind: 'keychain', state: 'absent' });
    expect(await run.call('shell', 'use-secret-file', { passphrase: 'short' })).toMatchObject({
      error: { code: 'invalid_params' },
    });
    await run.result('shell', 'use-secret-file', { passphrase: PASSPHRASE });
    await expect.poll(secrets).toMatchObject({ kind: 'file', state: 'ready' });
    expect((await run.stop()).code).toBe(0);

    run = await DesktopRun.start(desk.session, { dataDir: run.dataDir, ready: false });
    await expect
      .poll(async () => (await run.state()).host)
      .toMatchObject({ stage: 'failed', code: 'passphrase_needed' });
    await expect.poll(() => desk.desktop.tooltip()).toBe('xAgent Connector: it could not start');
    expect(await run.call('shell', 'use-secret-file', { passphrase: WRONG_PASSPHRASE })).toMatchObject({
      error: { code: 'passphrase_wrong' },
    });
    await run.result('shell', 'use-secret-file', { passphrase: PASSPHRASE });
    await expect.poll(secrets).toMatchObject({ kind: 'file', state: 'ready' });
    expect((await run.ready()).pid).toBe(run.process.pid);
    const told = JSON.stringify(await run.state()) + run.stderr.entries.join('\n') + (await holdsOf(await run.page()));
    for (const secret of [PASSPHRASE, WRONG_PASSPHRASE]) expect(told).not.toContain(secret);
  });

  it('E14: that never answers is given up, and the app ends in time while it still hangs', async () => {
    desk = await Desk.start({ keyring: 'absent', tray: true });
    const bus = dbus.sessionBus({ busAddress: desk.session.env['DBUS_SESSION_BUS_ADDRESS'] ?? '' });
    // Takes every call and answers none, as a prompt does that nobody sees.
    bus.addMethodHandler((message: dbus.Message) => message.interface !== 'org.freedesktop.DBus.Peer');
    await bus.requestName('org.freedesktop.secrets', 0);
    run = await DesktopRun.start(desk.session, { config: CONFIG });
    await expect.poll(secrets).toMatchObject({ state: 'failed', code: 'timeout' });
    await desk.desktop.click();
    void run.call('call', 'check-secrets').catch(() => undefined);
    const { code, ms } = await run.stop();
    expect(code).toBe(0);
    expect(ms).toBeLessThan(STOP_MS);
    bus.disconnect();
  });
});
