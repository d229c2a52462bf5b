import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConnectorRig } from '../../test/support/connector-rig.js';
import { FakeLink } from '../../test/support/fake-link.js';
import { settle } from '../../test/support/manual-clock.js';

/** Short, because each tick of it is a write to a real disk. */
const GRACE_MS = 300_000;

describe('the end of the lease (section 8.2)', () => {
  let rig: ConnectorRig;
  beforeEach(async () => {
    rig = await ConnectorRig.start({}, { graceMs: GRACE_MS });
  });
  afterEach(() => rig.stop());

  async function signedInAndGone(): Promise<{ channelId: string; accountId: string; connectorId: string }> {
    const link = rig.agent();
    const ids = await rig.signedIn(link);
    const { connectorId } = rig.connector;
    rig.connector.disconnected(link);
    return { ...ids, connectorId };
  }

  it('gives a new connector id, and the old one never comes back (R12)', async () => {
    const { connectorId } = await signedInAndGone();
    await rig.clock.advance(GRACE_MS);
    const ack = rig.connector.hello(new FakeLink(), rig.hello({ connector_id: connectorId }));
    expect(ack.connector_id).not.toBe(connectorId);
    await rig.restart({ crash: true });
    expect(rig.connector.connectorId).toBe(ack.connector_id);
  });

  it('ends the id even where no channel hangs on it', async () => {
    const link = rig.agent();
    const { connectorId } = rig.connector;
    rig.connector.disconnected(link);
    await rig.clock.advance(GRACE_MS);
    expect(rig.connector.connectorId).not.toBe(connectorId);
  });

  it('does not touch an id that no agent was ever told', async () => {
    const { connectorId } = rig.connector;
    await rig.clock.advance(10 * GRACE_MS);
    expect(rig.connector.connectorId).toBe(connectorId);
  });

  it('cascades to channels, accounts, credentials, consumers, ledgers and files', async () => {
    const { channelId, accountId } = await signedInAndGone();
    const session = rig.target.session();
    await rig.clock.advance(GRACE_MS);
    expect(session.closed).toBe(true);
    expect(rig.rows('channel')).toEqual([]);
    expect(rig.rows('account')).toEqual([]);
    expect(rig.rows('unwanted_secret')).toEqual([]);
    expect(rig.secrets.entries.size).toBe(0);
    expect(rig.target.signedOut).toEqual([accountId]);
    expect(rig.delivery.forgottenAccounts).toEqual([{ accountId, reason: 'lease_ended' }]);
    expect(rig.delivery.forgottenChannels).toEqual([channelId]);
    expect(rig.files.deletedFor).toEqual(expect.arrayContaining([{ accountId }, { channelId }]));
    const ack = await rig.connector.openChannel(rig.agent(), channelId);
    expect(ack.connector_channel_id).not.toBe(channelId);
    expect(ack.connection_descriptor.connection.status).toBe('created');
  });

  it('ends unfinished sign-ins of channels, and leaves the window’s alone', async () => {
    await rig.stop();
    rig = await ConnectorRig.start({}, { graceMs: 60_000 });
    const link = rig.agent();
    const { channelId } = await rig.signedIn(link);
    rig.target.session().report({ status: 'expired', code: 'token_expired', since: 1 });
    void rig.connector.authStart(link, channelId, {});
    const agents = await rig.nextSignIn();
    void rig.connector.signIn({});
    const windows = await rig.nextSignIn();
    rig.connector.disconnected(link);
    await rig.clock.advance(60_000);
    expect(agents.aborted).toBe(true);
    expect(windows.aborted).toBe(false);
  });

  it('does not touch an account that nobody claimed', async () => {
    await signedInAndGone();
    const unclaimed = await rig.unclaimed('bob');
    await rig.clock.advance(GRACE_MS);
    expect(rig.connector.accounts()).toMatchObject([{ accountId: unclaimed }]);
    expect(rig.target.session().account.accountId).toBe(unclaimed);
  });

  it('does not touch an account that an AgentServer serves by the person’s choice', async () => {
    const { accountId, channelId } = await signedInAndGone();
    rig.store.sql.prepare(`UPDATE account SET deliver_to = 'agentServer'`).run();
    await rig.restart();
    await rig.clock.advance(GRACE_MS);
    expect(rig.connector.accounts()).toMatchObject([{ accountId, channelId: undefined }]);
    expect(rig.connector.signedInOn(channelId)).toBe('unknown');
  });

  it('does not come while an agent is connected, however long', async () => {
    const { connectorId, accountId } = await signedInAndGone();
    await rig.clock.advance(GRACE_MS - 1);
    rig.agent();
    await rig.clock.advance(10 * GRACE_MS);
    expect(rig.connector.connectorId).toBe(connectorId);
    expect(rig.connector.accounts()).toMatchObject([{ accountId }]);
  });

  it('waits for the last data plane to leave, not the first (R13)', async () => {
    const { connectorId } = await signedInAndGone();
    const [first] = [rig.agent(), rig.agent()];
    rig.connector.disconnected(first);
    await rig.clock.advance(2 * GRACE_MS);
    expect(rig.connector.connectorId).toBe(connectorId);
  });

  it('counts on over restarts: neither from the start again nor twice (R43)', async () => {
    const { connectorId } = await signedInAndGone();
    await rig.clock.advance(GRACE_MS / 2);
    await rig.restart();
    expect(rig.connector.leaseLeftMs).toBe(GRACE_MS / 2);
    await rig.clock.advance(GRACE_MS / 2 - 1);
    expect(rig.connector.connectorId).toBe(connectorId);
    await rig.restart();
    await rig.clock.advance(1);
    expect(rig.connector.connectorId).not.toBe(connectorId);
  });

  it('counts on after a crash, short of a tick at most', async () => {
    await signedInAndGone();
    await rig.clock.advance(100_000);
    await rig.restart({ crash: true });
    expect(rig.connector.leaseLeftMs).toBe(GRACE_MS - 90_000);
  });

  it('comes too when no agent returns after a restart (section 8.2, last rule)', async () => {
    const { connectorId } = await signedInAndGone();
    await rig.restart();
    await rig.clock.advance(GRACE_MS);
    expect(rig.connector.connectorId).not.toBe(connectorId);
    expect(rig.rows('account')).toEqual([]);
  });

  it('has its whole grace again after an agent was there', async () => {
    await signedInAndGone();
    await rig.clock.advance(GRACE_MS - 10_000);
    const link = rig.agent();
    await settle();
    await rig.restart({ crash: true });
    expect(rig.connector.leaseLeftMs).toBe(GRACE_MS);
    expect(link.open).toBe(true);
  });

  it('lets the same person sign in again afterwards, as a new account', async () => {
    const { accountId } = await signedInAndGone();
    await rig.clock.advance(GRACE_MS);
    const link = rig.agent();
    const again = await rig.signedIn(link, 'alice');
    expect(again.accountId).not.toBe(accountId);
  });

  describe('with a disk that refuses', () => {
    it('shows at once and is stored as soon as the disk takes it', async () => {
      const { channelId, connectorId } = await signedInAndGone();
      rig.store.refuse = 'disk_full';
      await rig.clock.advance(GRACE_MS);
      expect(rig.connector.connectorId).not.toBe(connectorId);
      expect(rig.connector.signedInOn(channelId)).toBe('unknown');
      expect(rig.target.openSessions).toEqual([]);
      rig.store.refuse = undefined;
      await rig.clock.advance(60_000);
      expect(rig.rows('account')).toEqual([]);
      expect(rig.rows('connector')).toMatchObject([{ connector_id: rig.connector.connectorId }]);
      expect(rig.secrets.entries.size).toBe(0);
    });

    it('does not stand in the way of a new sign-in of the same person', async () => {
      await signedInAndGone();
      rig.store.refuse = 'disk_full';
      await rig.clock.advance(GRACE_MS);
      rig.store.refuse = undefined;
      const { accountId } = await rig.signedIn(rig.agent(), 'alice');
      expect(rig.rows('account')).toMatchObject([{ account_id: accountId }]);
    });
  });
});
