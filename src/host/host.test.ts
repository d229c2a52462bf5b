import { afterEach, describe, expect, test } from 'vitest';
import { ask } from '../../test/support/http-client.js';
import { hostInProcess, ONLY_LOCAL, type HostInProcess } from '../../test/support/host-in-process.js';
import { Squatter } from '../../test/support/squatter.js';
import { systemClock, type Clock } from '../base/clock.js';
import type { ResultOf } from '../bridge/index.js';
import { PortInUseError } from '../server/index.js';
import { DataDirLockedError } from '../store/data-dir-lock.js';
import { parseConfig } from './config.js';
import { startHost } from './host.js';

let running: HostInProcess | undefined;
let squatter: Squatter | undefined;

afterEach(async () => {
  await running?.destroy();
  running = undefined;
  await squatter?.leave();
  squatter = undefined;
});

async function started(...args: Parameters<typeof hostInProcess>): Promise<HostInProcess> {
  running = await hostInProcess(...args);
  return running;
}

/** Signs in to the local chat as a window would, and waits for the end of it. */
async function signedIn({ host }: HostInProcess, displayName = 'Ada'): Promise<string> {
  const begun = await host.execute('sign-in', { connector: 'local', input: { display_name: displayName } });
  let state: ResultOf<'sign-in-state'> = begun;
  await expect
    .poll(async () => {
      state = await host.execute('sign-in-state', { connector: 'local', authSessionId: begun.authSessionId });
      return state.status;
    })
    .toBe('authenticated');
  return state.status === 'authenticated' ? state.accountId : '';
}

describe('a host', () => {
  test('serves what it says it serves, with the key that the command line shows', async () => {
    const { host } = await started();
    const { apiKey } = await host.execute('api-key', {});
    const health = async (key: string) =>
      (await fetch(`${host.url}/local/health`, { headers: { authorization: `Bearer ${key}` } })).status;
    expect(host.connectors).toEqual([{ cardId: 'im.local', baseUrl: `${host.url}/local` }]);
    expect(await health(apiKey)).toBe(200);

    const rotated = await host.execute('rotate-api-key', {});
    expect(await health(apiKey)).toBe(401);
    expect(await health(rotated.apiKey)).toBe(200);
  });

  test('names the connector once in each line of the log', async () => {
    const { host, logged } = await started({ connectors: { telegram: { enabled: true } } });
    await host.execute('sign-in', { connector: 'telegram', input: { bot_token: 'no token' } });
    await expect.poll(logged).toContain('telegram_token_malformed');
    const times = logged()
      .split('\n')
      .map((line) => line.split('"connector":').length - 1);
    expect(new Set(times)).toEqual(new Set([0, 1]));
  });

  test('keeps sign-ins, waiting messages and the chat itself over a restart', async () => {
    const first = await started();
    const accountId = await signedIn(first);
    await first.host.execute('local-send', { accountId, text: 'hello' });
    running = await first.restart();
    const { host } = running;
    await expect.poll(() => host.snapshot().connectors[0]?.accounts[0]?.state.status).toBe('connected');
    expect(host.snapshot().connectors[0]?.accounts[0]).toMatchObject({ accountId, queue: { pending: 1 } });
    const chat = await host.execute('local-read', { accountId, after: 0 });
    expect(chat.messages).toMatchObject([{ from: 'person', text: 'hello' }]);
  });

  // Elsewhere no system says that the machine was up all the time, and its clock is all there is to go by.
  test.runIf(process.platform === 'linux').each([26, -26])(
    'keeps what waits over a restart with the clock set by %i hours, and says how long it has waited',
    async (hours) => {
      const first = await started();
      const accountId = await signedIn(first);
      await first.host.execute('local-send', { accountId, text: 'hello' });
      const ms = hours * 3_600_000;
      const now = (): number => systemClock.now() + ms;
      running = await first.restart({ ...systemClock, now, steady: () => systemClock.steady() + ms });
      const { host } = running;
      const queue = () => host.snapshot().connectors[0]?.accounts[0]?.queue;
      expect(queue()?.pending).toBe(1);
      expect(Math.abs(now() - (queue()?.oldestReceivedAt ?? 0))).toBeLessThan(60_000);
    },
  );

  test('names the port that is taken, and leaves the data directory free', async () => {
    squatter = await Squatter.start();
    const { port } = squatter;
    const { dataDir, host } = await started();
    await host.close();
    const refused = hostInProcess({ server: { port } }, dataDir);
    await expect(refused).rejects.toThrow(PortInUseError);
    await expect(refused).rejects.toThrow(String(port));
    running = await hostInProcess({}, dataDir);
  });

  test('does not share its data directory', async () => {
    const { dataDir } = await started();
    await expect(hostInProcess({}, dataDir)).rejects.toThrow(DataDirLockedError);
  });

  test('refuses a secret file without a passphrase', async () => {
    const { dataDir, host } = await started();
    await host.close();
    const config = parseConfig({ secrets: { store: 'file' }, server: { port: 0 } });
    const output = { write: () => undefined };
    await expect(startHost({ config, dataDir, logOutput: output })).rejects.toMatchObject({
      code: 'passphrase_needed',
    });
  });

  test('lives on with a wrong passphrase: locked, said once, nothing lost', async () => {
    const first = await started();
    const accountId = await signedIn(first);
    await first.host.close();
    const config = parseConfig({
      secrets: { store: 'file' },
      server: { port: 0 },
      connectors: ONLY_LOCAL,
    });
    let logged = '';
    const output = { write: (line: string) => void (logged += line) };
    const locked = await startHost({ config, dataDir: first.dataDir, passphrase: 'wrong', logOutput: output });
    try {
      expect(locked.snapshot().secrets).toMatchObject({ kind: 'file', state: 'locked' });
      expect(locked.snapshot().connectors[0]?.accounts[0]?.accountId).toBe(accountId);
      const answer = await fetch(`${locked.url}/local/health`, { headers: { authorization: 'Bearer x' } });
      expect(answer.status).toBe(503);
      await expect(locked.execute('api-key', {})).rejects.toMatchObject({ code: 'secret_store_unavailable' });
      expect(logged.match(/secret store can not be used/g)).toHaveLength(1);
    } finally {
      await locked.close();
    }
  });

  test('stops in time and twice is once', async () => {
    const { host } = await started();
    const began = performance.now();
    await Promise.all([host.close(), host.close()]);
    expect(performance.now() - began).toBeLessThan(5_000);
    await expect(fetch(`${host.url}/local/health`)).rejects.toThrow();
  });
});

describe('commands', () => {
  test('for something that is not there are refused, each with its code', async () => {
    const { host } = await started();
    const refused = [
      ['sign-in', { connector: 'nowhere' }, 'unknown_connector'],
      ['sign-in-state', { connector: 'local', authSessionId: 'auth_x' }, 'auth_session_not_found'],
      ['sign-in-cancel', { connector: 'local', authSessionId: 'auth_x' }, 'auth_session_not_found'],
      ['sign-out', { accountId: 'acc_x' }, 'unknown_account'],
      ['reconnect', { accountId: 'acc_x' }, 'unknown_account'],
      ['pending', { accountId: 'acc_x' }, 'unknown_account'],
      ['retry', { accountId: 'acc_x' }, 'unknown_account'],
      ['discard', { accountId: 'acc_x', messageId: 'm' }, 'not_pending'],
      ['local-send', { accountId: 'acc_x', text: 'x' }, 'unknown_account'],
      ['local-read', { accountId: 'acc_x', after: 0 }, 'unknown_account'],
    ] as const;
    for (const [command, params, code] of refused) {
      await expect(host.execute(command, params)).rejects.toMatchObject({ name: 'CommandError', code });
    }
  });

  test('with parameters of any wrong shape are refused as such', async () => {
    const { host } = await started();
    const wrong: unknown[] = [
      null,
      1,
      'x',
      [],
      { accountId: 1 },
      { accountId: '' },
      { accountId: 'a', more: 1 },
      { paused: 'no' },
    ];
    for (const params of wrong) {
      for (const command of ['sign-out', 'discard', 'pause', 'local-send', 'sign-in-input'] as const) {
        await expect(host.execute(command, params)).rejects.toMatchObject({ code: 'invalid_params' });
      }
    }
  });

  test('a message of the local chat waits ten seconds for room, and is then refused', async () => {
    const waits: (() => void)[] = [];
    const clock: Clock = {
      ...systemClock,
      after: (ms, fn) =>
        ms === 10_000 && waits.push(fn) > 0 ? { cancel: () => undefined } : systemClock.after(ms, fn),
    };
    const { host } = await started({ delivery: { capacityPerChannel: 1 } }, undefined, clock);
    const accountId = await signedIn(running!);
    await host.execute('local-send', { accountId, text: 'fills the queue' });
    waits.length = 0;
    const refused = host.execute('local-send', { accountId, text: 'has no room' }).catch((error: unknown) => error);
    await expect.poll(() => waits).toHaveLength(1);
    waits[0]!();
    expect(await refused).toMatchObject({ name: 'CommandError', code: 'queue_full' });
    expect((await host.execute('pending', { accountId })).messages).toHaveLength(1);
  });

  test('follow a message from writing to discarding', async () => {
    const { host } = await started();
    const accountId = await signedIn(running!);
    const { messageId } = await host.execute('local-send', { accountId, text: 'to be discarded' });
    expect((await host.execute('pending', { accountId })).messages).toMatchObject([{ messageId, kind: 'text' }]);
    await host.execute('retry', { accountId });
    await host.execute('discard', { accountId, messageId });
    expect((await host.execute('pending', { accountId })).messages).toEqual([]);
    expect((await host.execute('ended', { accountId })).messages).toMatchObject([{ messageId, outcome: 'discarded' }]);
  });

  test('take the first start a step on, for everyone who watches and every start after', async () => {
    const { host } = await started();
    expect(host.snapshot().onboarding).toBe('tray');
    let told = 0;
    host.onChange(() => (told += 1));
    await host.execute('set-onboarding', { step: 'account' });
    expect(host.snapshot().onboarding).toBe('account');
    await expect.poll(() => told).toBeGreaterThan(0);
    await expect(host.execute('set-onboarding', { step: 'lost' })).rejects.toMatchObject({ code: 'invalid_params' });
    running = await running!.restart();
    expect(running.host.snapshot().onboarding).toBe('account');
  });

  test('pause delivery and tell everyone who watches', async () => {
    const { host } = await started();
    let told = 0;
    host.onChange(() => (told += 1));
    await host.execute('pause', { paused: true });
    expect(host.snapshot().paused).toBe(true);
    await expect.poll(() => told).toBeGreaterThan(0);
  });

  test('try a network again at once, and the account is there as before', async () => {
    const { host } = await started();
    const accountId = await signedIn(running!);
    expect(await host.execute('reconnect', { accountId })).toEqual({});
    const state = host.snapshot().connectors.flatMap(({ accounts }) => accounts)[0]?.state;
    expect(state).toMatchObject({ status: 'connected' });
  });

  test('sign out, and the account is gone', async () => {
    const { host } = await started();
    const accountId = await signedIn(running!);
    await host.execute('sign-out', { accountId });
    expect(host.snapshot().connectors[0]?.accounts).toEqual([]);
  });

  test('show a pending text to who asks, count it, and keep it out of snapshot and log', async () => {
    const { host, logged } = await started();
    const accountId = await signedIn(running!);
    const text = 'nobody else reads this sentence';
    const { messageId } = await host.execute('local-send', { accountId, text });
    expect(await host.execute('preview', { accountId, messageId })).toEqual({ text });
    await expect(host.execute('preview', { accountId, messageId: 'x' })).rejects.toMatchObject({ code: 'not_pending' });
    const { bucketMs, buckets } = await host.execute('history', {});
    expect([bucketMs, buckets.length]).toEqual([1_800_000, 48]);
    expect(buckets.at(-1)).toMatchObject({ inbound: 1, waiting: 1 });
    expect(JSON.stringify(host.snapshot())).not.toContain(text);
    expect(logged()).not.toContain(text);
  });

  test('settings say what is in use, and a name is allowed at once and kept', async () => {
    const { host } = await started();
    const settings = await host.execute('settings', {});
    expect(settings).toMatchObject({
      port: host.port,
      allowedHosts: [],
      secretStore: 'file',
      dataDir: running!.dataDir,
    });
    expect(settings.storage.database).toBeGreaterThan(0);
    const asked = async () => {
      const answer = await ask(`${host.url}/local/connector-card.json`, { headers: { host: 'box.example:1' } });
      return answer.status;
    };
    expect(await asked()).toBe(403);
    await expect(host.execute('set-settings', { allowedHosts: ['a/b'] })).rejects.toMatchObject({
      code: 'invalid_host',
    });
    expect(await host.execute('set-settings', { allowedHosts: ['box.example:1'] })).toMatchObject({
      allowedHosts: ['box.example:1'],
    });
    expect(await asked()).toBe(200);
    running = await running!.restart();
    expect((await running.host.execute('settings', {})).allowedHosts).toEqual(['box.example:1']);
  });

  test('doctor looks at the running host, and a bundle holds none of its secrets', async () => {
    const canary = 'canary-api-key-0123456789';
    const { host } = await started({ server: { apiKey: canary } });
    await signedIn(running!, 'Ada Lovelace');
    const { findings } = await host.execute('doctor', {});
    expect(findings.filter(({ status }) => status === 'broken')).toEqual([]);
    expect(findings.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['data_dir_usable', 'port_listening', 'secret_file_ready', 'account_connected']),
    );
    const { entries, secretsSearched } = await host.execute('bundle', {});
    const all = JSON.stringify(entries);
    for (const hidden of [canary, 'Ada Lovelace', 'a passphrase of this test']) expect(all).not.toContain(hidden);
    expect(secretsSearched).toBeGreaterThanOrEqual(2);
    expect(all).toContain('the host is ready');
  });

  test('show who is connected, when the key was made, and a pulse for each account', async () => {
    const { host } = await started();
    await signedIn(running!);
    await expect.poll(() => host.snapshot().connectors[0]?.accounts[0]?.pulse).toMatch(/^-{29}[an]$/);
    const { apiKey } = await host.execute('api-key', {});
    const snapshot = host.snapshot();
    expect(snapshot).toMatchObject({ server: { state: 'listening' }, agents: [], refusedKeys: undefined });
    expect(snapshot.apiKey).toMatchObject({ tail: apiKey.slice(-4), configured: false });
    expect(Date.now() - (snapshot.apiKey?.createdAt ?? 0)).toBeLessThan(60_000);
    await fetch(`${host.url}/local/health`, { headers: { authorization: 'Bearer wrong' } });
    expect(host.snapshot().refusedKeys).toMatchObject({ count: 1 });
  });

  test('never answer with a secret, save the one that is for it', async () => {
    const canary = 'canary-api-key-0123456789';
    const { host } = await started({ server: { apiKey: canary } });
    const accountId = await signedIn(running!);
    const answers = [
      await host.execute('snapshot', {}),
      await host.execute('pending', { accountId }),
      await host.execute('ended', { accountId }),
      await host.execute('local-read', { accountId, after: 0 }),
    ];
    expect(JSON.stringify(answers)).not.toContain(canary);
    expect(running!.logged()).not.toContain(canary);
    expect(await host.execute('api-key', {})).toEqual({ apiKey: canary });
  });
});
