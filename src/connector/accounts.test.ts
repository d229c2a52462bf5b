import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConnectorRig } from '../../test/support/connector-rig.js';
import type { FakeLink } from '../../test/support/fake-link.js';
import { settle } from '../../test/support/manual-clock.js';

describe('accounts at work', () => {
  let rig: ConnectorRig;
  let link: FakeLink;
  let channelId: string;
  let accountId: string;
  beforeEach(async () => {
    rig = await ConnectorRig.start();
    link = rig.agent();
    ({ channelId, accountId } = await rig.signedIn(link));
    await settle();
    link.pushes.length = 0;
  });
  afterEach(() => rig.stop());

  async function reopen(): Promise<string> {
    link = rig.agent();
    return (await rig.connector.openChannel(link, channelId)).connection_descriptor.connection.status;
  }

  it('what is kept of one was damaged on the disk: it says so, is kept, and works again once it is signed in anew', async () => {
    const other = await rig.unclaimed('bob');
    const damage = `UPDATE account SET binding = '{"peer' WHERE account_id = '${accountId}'`;
    await rig.store.write((sql) => void sql.exec(damage));
    await rig.restart();
    const states = () =>
      Object.fromEntries(rig.connector.accounts().map((account) => [account.accountId, account.state]));
    expect(states()).toMatchObject({
      [accountId]: { status: 'error', code: 'account_damaged' },
      [other]: { status: 'offline', code: 'connecting' },
    });
    expect(rig.target.sessions).toHaveLength(1);
    expect(await rig.unclaimed('alice')).toBe(accountId);
    expect(states()[accountId]).toMatchObject({ status: 'connected' });
  });

  describe('the state a session reports', () => {
    it('is pushed on every change of the descriptor, and not when it is equal (section 8.17)', async () => {
      const session = rig.target.session();
      session.report({ status: 'offline', code: 'network_unreachable', since: 1, retryAt: 5 });
      await settle();
      session.report({ status: 'offline', code: 'network_unreachable', since: 1, retryAt: 9 });
      await settle();
      session.report({ status: 'connected', since: 10 });
      session.report({ status: 'connected', since: 11 });
      await settle();
      expect(link.pushedStates(channelId)).toEqual(['offline', 'connected']);
    });

    it('that comes and goes within one turn is not pushed at all', async () => {
      const session = rig.target.session();
      session.report({ status: 'degraded', code: 'slow', since: 1 });
      session.report({ status: 'connected', since: 2 });
      await settle();
      expect(link.pushes).toEqual([]);
    });

    it('is what the window sees, with the last round trip and the reply window', () => {
      const session = rig.target.session();
      session.lastRoundTripAt = 77;
      session.window = { remaining: 3, limit: 10, until: 99 };
      session.report({ status: 'offline', code: 'network_unreachable', since: 1, retryAt: 5 });
      expect(rig.connector.accounts()).toMatchObject([
        {
          accountId,
          channelId,
          agentConnected: true,
          lastRoundTripAt: 77,
          replyWindow: { remaining: 3, limit: 10, until: 99 },
          state: { status: 'offline', code: 'network_unreachable', retryAt: 5 },
        },
      ]);
    });

    it('of a session that was replaced is not heard', async () => {
      const old = rig.target.session();
      await rig.unclaimed('alice');
      old.report({ status: 'revoked', code: 'token_revoked', since: 1 });
      await settle();
      expect(rig.connector.accounts()).toMatchObject([{ state: { status: 'connected' } }]);
    });

    it.each(['expired', 'revoked'] as const)(
      '%s survives a restart, keeps row and credentials, and asks the network nothing',
      async (status) => {
        rig.target.session().report({ status, code: 'token_gone', since: 5 });
        await settle();
        await rig.restart();
        expect(rig.target.sessions).toEqual([]);
        expect(rig.connector.accounts()).toMatchObject([
          { accountId, state: { status, code: 'token_gone', since: 5 } },
        ]);
        expect(rig.secrets.entries.has(`account/${accountId}`)).toBe(true);
        expect(await reopen()).toBe(status);
        // What is sent to it is refused for good, and not kept for a network that will not take it.
        expect(rig.connector.openRoute(link, channelId).accountId).toBeUndefined();
      },
    );

    it('that was damaged on the disk is no state: the account opens and the network says how it stands', async () => {
      await rig.store.write((sql) => void sql.exec(`UPDATE account SET last_state = '{"status":"exp'`));
      await rig.restart();
      expect(rig.connector.accounts()).toMatchObject([{ accountId, state: { status: 'offline', code: 'connecting' } }]);
      expect(rig.target.sessions).toHaveLength(1);
    });

    it('expired is looked at after a restart where the network may take it back, and connected when it has', async () => {
      await rig.stop();
      rig = await ConnectorRig.start({ watches: true });
      link = rig.agent();
      ({ channelId, accountId } = await rig.signedIn(link));
      const ended = { status: 'expired', code: 'taken_over', since: 5 } as const;
      rig.target.session().report(ended);
      await settle();
      await rig.restart();
      expect(rig.target.watched).toEqual([ended]);
      expect(await reopen()).toBe('expired');
      expect(rig.connector.openRoute(link, channelId).accountId).toBeUndefined();
      rig.target.session().report({ status: 'connected', since: 9 });
      await settle();
      expect(rig.connector.descriptor(link, channelId).connection.status).toBe('connected');
      expect(rig.connector.openRoute(link, channelId).accountId).toBe(accountId);
    });

    it('expired ends with the next sign-in, on the same account and channel', async () => {
      rig.target.session().report({ status: 'expired', code: 'token_expired', since: 5 });
      await settle();
      await rig.restart();
      await reopen();
      expect(await rig.signInOn(link, channelId, 'alice')).toBe(accountId);
      expect(rig.connector.descriptor(link, channelId).connection.status).toBe('connected');
    });
  });

  describe('after a restart', () => {
    it('are opened with what was stored, and are offline until the network has answered', async () => {
      await rig.restart();
      expect(rig.target.session().account).toMatchObject({
        accountId,
        identity: 'alice',
        binding: { user: 'alice' },
        credentials: { token: 'secret-of-alice' },
      });
      expect(rig.delivery.sessions.get(accountId)).toBe(rig.target.session());
      expect(await reopen()).toBe('offline');
      rig.target.session().report({ status: 'connected', since: 1 });
      await settle();
      expect(link.pushedStates(channelId)).toEqual(['connected']);
    });

    it('keep what the network made them remember', async () => {
      await rig.target.session().account.updateBinding({ user: 'alice', chat: 'supergroup' });
      await rig.restart({ crash: true });
      expect(rig.target.session().account.binding).toEqual({ user: 'alice', chat: 'supergroup' });
    });

    it('whose credentials are locked wait as offline, and open by themselves once the store does', async () => {
      rig.secrets.become('locked');
      await rig.restart();
      expect(rig.target.sessions).toEqual([]);
      expect(rig.connector.accounts()).toMatchObject([{ state: { status: 'offline', code: 'secrets_locked' } }]);
      expect(await reopen()).toBe('offline');
      await rig.clock.advance(5_000);
      expect(rig.target.sessions).toEqual([]);
      rig.secrets.become('ready');
      await rig.clock.advance(10_000);
      expect(rig.target.session().account.accountId).toBe(accountId);
    });

    it('whose credentials are locked are tried at once on waking', async () => {
      rig.secrets.become('locked');
      await rig.restart();
      rig.secrets.become('ready');
      rig.connector.wake();
      await settle();
      expect(rig.target.session().account.accountId).toBe(accountId);
      expect(rig.target.wakes).toBe(1);
    });

    it('are known to their network while they are signed in, with a session or without one', async () => {
      await rig.unclaimed('bob');
      const known = (): string[] => rig.target.context.accounts().map((account) => account.accountId);
      expect(known()).toHaveLength(2);
      rig.secrets.become('locked');
      await rig.restart();
      expect(rig.target.sessions).toEqual([]);
      expect(known()).toContain(accountId);
      expect(known()).toHaveLength(2);
      await rig.connector.signOut(accountId);
      expect(known()).not.toContain(accountId);
    });

    it('whose credentials are gone are expired: only a new sign-in helps', async () => {
      rig.secrets.entries.clear();
      await rig.restart();
      expect(await reopen()).toBe('expired');
      expect(rig.target.context.accounts()).toEqual([]);
    });
  });

  it('two that sign out while the keychain asks its person leave nothing in it', async () => {
    const other = await rig.unclaimed('bob');
    const release = rig.secrets.hold();
    const first = rig.connector.signOut(accountId);
    await settle();
    const second = rig.connector.signOut(other);
    await settle();
    release();
    expect(await Promise.all([first, second])).toEqual([true, true]);
    expect(rig.secrets.entries.size).toBe(0);
  });

  describe('closing', () => {
    it('takes routes and sessions away and stops the target, but keeps every sign-in', async () => {
      const session = rig.target.session();
      await rig.connector.close();
      expect(session.closed).toBe(true);
      expect(rig.target.stopped).toBe(true);
      expect(rig.delivery.routes.get(accountId)).toBeUndefined();
      expect(rig.delivery.sessions.get(accountId)).toBeUndefined();
      expect(rig.rows('account')).toHaveLength(1);
      expect(rig.secrets.entries.size).toBe(1);
    });

    it('ends a sign-in that is under way', async () => {
      void rig.connector.signIn({});
      const signIn = await rig.nextSignIn();
      await rig.connector.close();
      expect(signIn.aborted).toBe(true);
    });

    it('lets a sign-out that hangs in a session end all the same', async () => {
      rig.target.session().onClose = () => new Promise(() => undefined);
      const signedOut = rig.connector.signOut(accountId);
      const closed = rig.connector.close();
      for (let second = 0; second < 10; second += 1) await rig.clock.advance(1_000);
      await closed;
      expect(await signedOut).toBe(true);
      expect(rig.rows('account')).toEqual([]);
    });

    it('does not wait for ever for a session that hangs', async () => {
      rig.target.session().onClose = () => new Promise(() => undefined);
      const closed = rig.connector.close();
      await rig.clock.advance(3_000);
      await closed;
    });
  });
});
