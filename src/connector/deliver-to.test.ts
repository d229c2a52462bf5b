import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeLink } from '../../test/support/fake-link.js';
import { FakeTarget } from '../../test/support/fake-target.js';
import { FlakyStore } from '../../test/support/flaky-store.js';
import { ManualClock, settle } from '../../test/support/manual-clock.js';
import { MemoryFiles } from '../../test/support/memory-files.js';
import { MemorySecretStore } from '../../test/support/memory-secrets.js';
import { quietLog } from '../../test/support/quiet-log.js';
import { RecordingDelivery } from '../../test/support/recording-delivery.js';
import type { Upstream } from '../delivery/delivery.js';
import { PROTOCOL_VERSION } from '../protocol/index.js';
import { openStore } from '../store/database.js';
import { createConnector, type AgentServerPort, type Connector, type DeliverTo } from './index.js';

/** An upstream that remembers whom it serves, and routes them once: its server is always connected. */
class RecordingAgentServer implements AgentServerPort {
  readonly served = new Set<string>();
  readonly forgotten: string[] = [];
  readonly upstream: Upstream = { kind: 'agentServer', transmit: () => Promise.resolve('done') };
  readonly #delivery: RecordingDelivery;
  constructor(delivery: RecordingDelivery) {
    this.#delivery = delivery;
  }
  serve({ accountId }: { accountId: string }): void {
    if (this.served.has(accountId)) return;
    this.served.add(accountId);
    this.#delivery.route(accountId, this.upstream);
  }
  leave(accountId: string): void {
    if (this.served.delete(accountId)) this.#delivery.route(accountId, undefined);
  }
  forget(accountId: string): Promise<void> {
    this.served.delete(accountId);
    this.forgotten.push(accountId);
    return Promise.resolve();
  }
}

/** Where an account's messages go is its network's setting, or the person's own choice for it. */
describe('where an account delivers', () => {
  const secrets = new MemorySecretStore();
  let dataDir: string;
  let store: FlakyStore;
  let delivery: RecordingDelivery;
  let agentServer: RecordingAgentServer;
  let target: FakeTarget;
  let connector: Connector;

  beforeEach(async () => {
    dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'deliver-to-'));
    store = new FlakyStore(await openStore({ dataDir, clock: new ManualClock(), log: quietLog }));
  });
  afterEach(async () => {
    await connector.close();
    await store.close();
    fs.rmSync(dataDir, { recursive: true, force: true });
  });

  async function start(deliverTo: DeliverTo): Promise<void> {
    delivery = new RecordingDelivery();
    agentServer = new RecordingAgentServer(delivery);
    target = new FakeTarget({ onSignIn: (signIn) => signIn.succeed({ identity: 'alice' }) });
    connector = createConnector({
      target,
      delivery,
      agentServer,
      store,
      secrets,
      files: new MemoryFiles(),
      clock: new ManualClock(),
      log: quietLog,
      random: () => 0,
      build: { version: '0.1.0', git_tag: 'v0.1.0', git_rev: 'abc1234', build_time: '2601151200' },
      options: { graceMs: 1_000, sessionTtlMs: 1_000, profile: 'xagent.im.v2', apiKeyRequired: true, deliverTo },
    });
    await connector.start();
    await settle();
  }

  async function signIn(): Promise<string> {
    await connector.signIn({});
    await settle();
    return connector.accounts()[0]?.accountId ?? '';
  }

  it('the AgentServer serves it while it has a session, and not after a sign-out', async () => {
    await start('agentServer');
    const accountId = await signIn();
    expect([...agentServer.served]).toEqual([accountId]);
    expect(connector.accounts()).toMatchObject([{ deliverTo: 'agentServer', ownDeliverTo: undefined }]);
    await connector.signOut(accountId);
    expect([...agentServer.served]).toEqual([]);
    expect(agentServer.forgotten).toEqual([accountId]);
  });

  it('changes at once, and back: the channel’s route is given up and taken up again', async () => {
    await start('xagent');
    const link = new FakeLink();
    connector.hello(link, {
      connector_card_id: target.cardId,
      connector_id: '',
      protocol_version: PROTOCOL_VERSION,
      supported_profiles: ['xagent.im.v2'],
    });
    const { connector_channel_id: channelId } = await connector.openChannel(link, '');
    await connector.authStart(link, channelId, {});
    await settle();
    const { accountId = '' } = connector.openRoute(link, channelId);
    expect(delivery.routes.get(accountId)).toMatchObject({ kind: 'xagent', channelId });

    await settle();
    const before = link.pushes.length;
    expect(await connector.setDeliverTo(accountId, 'agentServer')).toBe(true);
    expect([...agentServer.served]).toEqual([accountId]);
    expect(delivery.routes.get(accountId)).toBe(agentServer.upstream);

    await settle();
    expect(await connector.setDeliverTo(accountId, undefined)).toBe(true);
    await settle();
    expect([...agentServer.served]).toEqual([]);
    // The agent can go on sending meanwhile, but hears nothing: that is no line in order.
    expect(link.pushedStates(channelId).slice(before)).toEqual(['degraded', 'connected']);
    expect(link.pushes.at(-2)?.descriptor.tools).toMatchObject([{ status: 'available' }, { status: 'available' }]);
    expect(delivery.routes.get(accountId)).toMatchObject({ kind: 'xagent', channelId });
  });

  it('keeps its route when the choice says what is so already', async () => {
    await start('agentServer');
    const accountId = await signIn();
    for (const choice of ['agentServer', undefined, 'agentServer'] as const) {
      await connector.setDeliverTo(accountId, choice);
      expect(delivery.routes.get(accountId)).toBe(agentServer.upstream);
    }
  });

  it('the person’s choice outlives a restart and a new sign-in of the same account', async () => {
    await start('xagent');
    const accountId = await signIn();
    await connector.setDeliverTo(accountId, 'agentServer');
    await signIn();
    expect([...agentServer.served]).toEqual([accountId]);
    await connector.close();
    await start('xagent');
    expect([...agentServer.served]).toEqual([accountId]);
    expect(connector.accounts()).toMatchObject([{ deliverTo: 'agentServer', ownDeliverTo: 'agentServer' }]);
  });

  it('stays as it was when the disk refuses, and is nothing for an account that is unknown', async () => {
    await start('xagent');
    const accountId = await signIn();
    store.refuse = 'disk_full';
    await expect(connector.setDeliverTo(accountId, 'agentServer')).rejects.toMatchObject({ code: 'disk_full' });
    store.refuse = undefined;
    expect([...agentServer.served]).toEqual([]);
    expect(connector.accounts()).toMatchObject([{ deliverTo: 'xagent' }]);
    expect(await connector.setDeliverTo('acc_unknown', 'agentServer')).toBe(false);
  });
});
