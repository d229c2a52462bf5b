import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/deadline.js';
import { hostInProcess, ONLY_LOCAL, type HostInProcess } from '../../../test/support/host-in-process.js';
import { SpecAgent } from '../../../test/support/spec-agent.js';
import { REHEARSAL_STEPS, type RehearsalSnapshot } from '../../bridge/index.js';
import { parseConfig } from '../config.js';
import { connectControl } from '../control-client.js';
import { startHost } from '../host.js';

describe('a rehearsal on the running host', () => {
  let running: HostInProcess | undefined;
  afterEach(async () => {
    await running?.destroy();
    running = undefined;
  });
  const start = async (config?: Parameters<typeof hostInProcess>[0]): Promise<HostInProcess> =>
    (running = await hostInProcess(config));

  async function rehearse({ host }: HostInProcess): Promise<RehearsalSnapshot> {
    await host.execute('rehearse', {});
    return eventually(() => {
      const { rehearsal } = host.snapshot();
      return rehearsal?.status !== 'running' && rehearsal;
    }, 'the rehearsal to end');
  }
  const codes = ({ steps }: RehearsalSnapshot) =>
    Object.fromEntries(steps.filter(({ status }) => status === 'failed').map(({ id, code }) => [id, code]));

  it('passes every step, in order, with its time, twice over', async () => {
    const it = await start();
    for (let round = 0; round < 2; round += 1) {
      const done = await rehearse(it);
      expect(codes(done)).toEqual({});
      expect(done).toMatchObject({ status: 'passed', endedAt: expect.any(Number) });
      expect(done.steps.map(({ id }) => id)).toEqual(REHEARSAL_STEPS);
      expect(done.steps.every(({ status, tookMs }) => status === 'passed' && tookMs !== undefined)).toBe(true);
    }
  });

  it('leaves no account, no agent, no refused key, no counter and no word of its own', async () => {
    const it = await start();
    const { accountId } = (await it.host.execute('sign-in', {
      connector: 'local',
      input: { display_name: 'Kim' },
    })) as {
      accountId: string;
    };
    const before = it.host.snapshot();
    const done = await rehearse(it);
    expect(done.status).toBe('passed');
    const after = it.host.snapshot();
    const lasting = ({ agents, refusedKeys, connectors }: typeof before) => ({
      agents,
      refusedKeys,
      connectors: connectors.map(({ accounts, dataPlanes, connectorId }) => ({
        dataPlanes,
        connectorId,
        accounts: accounts.map((account) => [account.accountId, account.counters, account.queue]),
      })),
    });
    expect(lasting(after)).toEqual(lasting(before));
    const { buckets } = await it.host.execute('history', {});
    expect(buckets.filter(({ inbound, outbound, waiting }) => inbound + outbound + waiting > 0)).toEqual([]);
    expect(await it.host.execute('local-read', { accountId, after: 0 })).toMatchObject({ messages: [] });
    expect(JSON.stringify(after)).not.toContain('im.rehearsal');
  });

  it('plays beside a real agent of the local chat, which hears nothing of it', async () => {
    const it = await start({ server: { apiKey: 'key-of-the-agent-beside-0123456789' } });
    const agent = await SpecAgent.connect({
      baseUrl: `${it.host.url}/local`,
      apiKey: 'key-of-the-agent-beside-0123456789',
    });
    const channel = await agent.bind('local_pairing', { display_name: 'Kim' });
    await agent.untilStatus(channel, 'connected');
    await agent.settle();
    const heard = agent.received.mark;
    expect((await rehearse(it)).status).toBe('passed');
    await agent.settle();
    expect(agent.received.entries.slice(heard).map(({ type }) => type)).toEqual(['pong']);
    expect(it.host.snapshot().agents).toHaveLength(1);
    await agent.bye();
  });

  it('says that delivery is paused, and cleans up all the same', async () => {
    const it = await start();
    await it.host.execute('pause', { paused: true });
    const done = await rehearse(it);
    expect(done.status).toBe('failed');
    expect(codes(done)).toEqual({ inbound: 'delivery_paused' });
    expect(done.steps.at(-1)).toMatchObject({ id: 'cleanup', status: 'passed' });
    expect(done.steps.find(({ id }) => id === 'answer')).toMatchObject({ status: 'todo' });
    await it.host.execute('pause', { paused: false });
    expect((await rehearse(it)).status).toBe('passed');
  });

  it('runs once at a time, and ends when the person stops it', async () => {
    const it = await start();
    await it.host.execute('rehearse', {});
    await expect(it.host.execute('rehearse', {})).rejects.toMatchObject({ code: 'rehearsal_running' });
    await it.host.execute('rehearse-stop', {});
    const done = await eventually(() => {
      const { rehearsal } = it.host.snapshot();
      return rehearsal?.status !== 'running' && rehearsal;
    }, 'the rehearsal to end');
    expect(done.status).toBe('stopped');
    expect(codes(done)).toEqual({});
    expect((await rehearse(it)).status).toBe('passed');
  });

  it('says that no network is switched on', async () => {
    const it = await start({ connectors: { ...ONLY_LOCAL, local: { enabled: false } } });
    expect(codes(await rehearse(it))).toEqual({ card: 'no_connectors' });
  });

  it('is on a stage that nobody else can enter, with the right key either', async () => {
    const it = await start();
    expect((await rehearse(it)).status).toBe('passed');
    const control = await connectControl(it.dataDir);
    const { apiKey } = await control.call('api-key');
    control.close();
    const status = async (path: string, headers: Record<string, string> = {}) =>
      (await fetch(`${it.host.url}${path}`, { headers: { authorization: `Bearer ${apiKey}`, ...headers } })).status;
    expect(await status('/local/health')).toBe(200);
    for (const path of [
      '/rehearsal/connector-card.json',
      '/rehearsal/skill.md',
      '/rehearsal/health',
      '/rehearsal/ws',
    ]) {
      expect([path, await status(path)]).toEqual([path, 404]);
      expect([path, await status(path, { 'x-xagent-rehearsal': 'a guess' })]).toEqual([path, 404]);
    }
    await expect(SpecAgent.connect({ baseUrl: `${it.host.url}/rehearsal`, apiKey })).rejects.toMatchObject({
      status: 404,
    });
  });

  it('never logs or shows the key', async () => {
    const it = await start({ server: { apiKey: 'canary-key-0123456789-0123456789' } });
    expect((await rehearse(it)).status).toBe('passed');
    expect(it.logged()).not.toContain('canary-key');
    expect(JSON.stringify(it.host.snapshot())).not.toContain('canary-key');
  });

  it('L20: says nothing to whoever has the port, and gives out no link to them', async () => {
    let heard = 0;
    const stranger = createServer((socket) => {
      heard += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
    const { port } = stranger.address() as AddressInfo;
    const dataDir = mkdtempSync(join(tmpdir(), 'rehearsal-'));
    const host = await startHost({
      config: parseConfig({ server: { port }, secrets: { store: 'file' }, connectors: ONLY_LOCAL }),
      dataDir,
      passphrase: 'a passphrase of this test',
      whenPortTaken: 'wait',
      logOutput: { write: () => undefined },
    });
    try {
      await host.execute('rehearse', {});
      const done = await eventually(() => {
        const { rehearsal } = host.snapshot();
        return rehearsal?.status !== 'running' && rehearsal;
      }, 'the rehearsal to end');
      expect(codes(done)).toEqual({ card: 'port_taken' });
      await expect(host.execute('ui-link', {})).rejects.toMatchObject({ code: 'port_taken' });
      expect(heard).toBe(0);
    } finally {
      await host.close();
      stranger.close();
      rmSync(dataDir, { recursive: true });
    }
  });

  it('does not keep the host from stopping', async () => {
    const it = await start();
    await it.host.execute('rehearse', {});
    await it.host.close();
    await new Promise<void>((resolve) => {
      connect(it.host.port, '127.0.0.1').on('error', () => resolve());
    });
  });
});
