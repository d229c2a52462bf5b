import { afterEach, describe, expect, it } from 'vitest';
import { ConnectorRig } from '../../test/support/connector-rig.js';
import { FORM_FLOW, type FakeTargetOptions } from '../../test/support/fake-target.js';
import { settle } from '../../test/support/manual-clock.js';
import type { ConnectorOptions } from './index.js';

/** A sign-in may begin at the agent or at the window; each side sees what the other did. */
describe('signing in and out from either side', () => {
  let rig: ConnectorRig;
  afterEach(() => rig.stop());
  async function begin(target: FakeTargetOptions = {}, options: Partial<ConnectorOptions> = {}): Promise<void> {
    rig = await ConnectorRig.start(target, options);
  }

  describe('from the window', () => {
    it('makes an account that works with no agent in sight, and waits unclaimed', async () => {
      await begin();
      const accountId = await rig.unclaimed();
      expect(rig.rows('account')).toMatchObject([{ account_id: accountId, claimed: 0 }]);
      expect(rig.target.session().account.accountId).toBe(accountId);
      expect(rig.connector.accounts()).toMatchObject([
        { accountId, identity: 'alice', channelId: undefined, agentConnected: false, state: { status: 'connected' } },
      ]);
    });

    it('can be followed, fed, refreshed and canceled by its session id', async () => {
      await begin();
      const answer = rig.connector.signIn({});
      (await rig.nextSignIn()).showQr('https://scan.example/w');
      const facts = await answer;
      expect(facts).toMatchObject({ status: 'pending', code: 'scan_qr', qr: { text: 'https://scan.example/w' } });
      rig.connector.refreshSignIn(facts.authSessionId);
      expect(rig.target.signIn.refreshes).toBe(1);
      const asked = rig.target.signIn.ask(['verify_code'], 'verify_code');
      expect(rig.connector.signInState(facts.authSessionId)).toMatchObject({ inputRequired: ['verify_code'] });
      rig.connector.provideInput(facts.authSessionId, { verify_code: '12' });
      expect(await asked).toEqual({ verify_code: '12' });
      rig.connector.cancelSignIn(facts.authSessionId);
      expect(rig.target.signIn.aborted).toBe(true);
      expect(rig.connector.signInState(facts.authSessionId)).toMatchObject({ status: 'canceled', code: 'canceled' });
      expect(rig.connector.signInState('auth_unknown')).toBeUndefined();
    });

    it('is invisible to an agent that guesses its session id', async () => {
      await begin();
      const answer = rig.connector.signIn({});
      (await rig.nextSignIn()).showQr('x');
      const { authSessionId } = await answer;
      const link = rig.agent();
      const channelId = await rig.newChannel(link);
      await expect(rig.connector.authStatus(link, channelId, { auth_session_id: authSessionId })).rejects.toMatchObject(
        { code: 'auth_session_not_found' },
      );
    });

    it('supersedes an older one of the window only', async () => {
      await begin();
      const link = rig.agent();
      const channelId = await rig.newChannel(link);
      void rig.connector.authStart(link, channelId, {});
      const agents = await rig.nextSignIn();
      void rig.connector.signIn({});
      const older = await rig.nextSignIn();
      void rig.connector.signIn({});
      await settle();
      expect(older.aborted).toBe(true);
      expect(agents.aborted).toBe(false);
    });
  });

  describe('from an agent', () => {
    it('is told at the window when it asks for something, which may be given there, until it ends', async () => {
      await begin();
      const link = rig.agent();
      const channelId = await rig.newChannel(link);
      void rig.connector.authStart(link, channelId, {});
      const signIn = await rig.nextSignIn();
      expect(rig.connector.signInsOfAgents()).toMatchObject([{ channelId, status: 'pending' }]);
      const asked = signIn.ask(['verify_code'], 'verify_code');
      const [question] = rig.connector.signInsOfAgents();
      expect(question).toMatchObject({ code: 'verify_code', inputRequired: ['verify_code'] });
      rig.connector.provideInput(question?.authSessionId ?? '', { verify_code: '4071' });
      expect(await asked).toEqual({ verify_code: '4071' });
      await rig.connector.authCancel(link, channelId, {});
      expect(rig.connector.signInsOfAgents()).toEqual([]);
    });

    it('is not the window’s own', async () => {
      await begin();
      void rig.connector.signIn({});
      await rig.nextSignIn();
      expect(rig.connector.signInsOfAgents()).toEqual([]);
    });
  });

  describe('the next auth.start', () => {
    it('takes the unclaimed account and is authenticated at once, with the descriptor', async () => {
      await begin();
      const accountId = await rig.unclaimed();
      const link = rig.agent();
      const channelId = await rig.newChannel(link);
      const ack = await rig.connector.authStart(link, channelId, {});
      expect(ack.status).toBe('authenticated');
      expect(ack.connection_descriptor?.connection).toMatchObject({
        connector_channel_id: channelId,
        status: 'connected',
      });
      expect(rig.target.signIns).toHaveLength(1);
      expect(rig.rows('account')).toMatchObject([{ account_id: accountId, claimed: 1 }]);
      expect(rig.rows('channel')).toMatchObject([{ channel_id: channelId, account_id: accountId }]);
      await settle();
      expect(rig.delivery.routes.get(accountId)).toMatchObject({ channelId });
    });

    it('is answered to auth.status and auth.cancel like any completed sign-in', async () => {
      await begin();
      await rig.unclaimed();
      const link = rig.agent();
      const channelId = await rig.newChannel(link);
      const { auth_session_id = '' } = await rig.connector.authStart(link, channelId, {});
      const payload = { auth_session_id };
      expect((await rig.connector.authStatus(link, channelId, payload)).status).toBe('authenticated');
      expect((await rig.connector.authCancel(link, channelId, payload)).status).toBe('ignored');
    });

    it('gives one account to one of two channels that ask at once', async () => {
      await begin();
      await rig.unclaimed();
      const link = rig.agent();
      const [a, b] = [await rig.newChannel(link), await rig.newChannel(link)];
      const answers = [rig.connector.authStart(link, a, {}), rig.connector.authStart(link, b, {})];
      await settle();
      rig.target.signIn.showQr('for the other');
      const states = (await Promise.all(answers)).map((ack) => ack.status).sort();
      expect(states).toEqual(['authenticated', 'pending']);
    });

    it('takes it for a form with empty or equal input, and not with other input', async () => {
      await begin({ authFlows: [FORM_FLOW] });
      await rig.unclaimed('bot', { bot_token: 'T' });
      const link = rig.agent();
      const channelId = await rig.newChannel(link);
      void rig.connector.authStart(link, channelId, { input: { bot_token: 'other' } });
      await settle();
      expect(rig.target.signIns).toHaveLength(2);
      await rig.connector.authCancel(link, channelId, {});
      expect((await rig.connector.authStart(link, channelId, { input: { bot_token: 'T' } })).status).toBe(
        'authenticated',
      );
      await rig.connector.authLogout(link, channelId);
      await rig.unclaimed('bot', { bot_token: 'T' });
      expect((await rig.connector.authStart(link, channelId, { input: {} })).status).toBe('authenticated');
    });

    it('does not take an account whose sign-in is expired', async () => {
      await begin();
      const accountId = await rig.unclaimed();
      rig.target.session(accountId).report({ status: 'expired', code: 'token_expired', since: 1 });
      const link = rig.agent();
      const channelId = await rig.newChannel(link);
      void rig.connector.authStart(link, channelId, {});
      await settle();
      expect(rig.target.signIns).toHaveLength(2);
    });
  });

  describe('the same identity again', () => {
    it('renews the account in place from the window, on the channel it is on, and says so to the agent', async () => {
      await begin();
      const link = rig.agent();
      const { channelId, accountId } = await rig.signedIn(link);
      rig.target.session().report({ status: 'revoked', code: 'token_revoked', since: 1 });
      await settle();
      link.pushes.length = 0;
      const old = rig.target.session();
      expect(await rig.unclaimed('alice')).toBe(accountId);
      expect(old.closed).toBe(true);
      expect(rig.target.openSessions).toHaveLength(1);
      expect(link.pushedStates(channelId)).toEqual(['connected']);
      expect(rig.rows('account')).toMatchObject([{ account_id: accountId, claimed: 1 }]);
      expect(rig.delivery.forgottenAccounts).toEqual([]);
    });

    it('on another channel moves the account to the newest one; the old one is created again and told so', async () => {
      await begin();
      const link = rig.agent();
      const { channelId: old, accountId } = await rig.signedIn(link);
      const newest = await rig.newChannel(link);
      await settle();
      link.pushes.length = 0;
      expect(await rig.signInOn(link, newest)).toBe(accountId);
      expect(link.pushedStates(old)).toEqual(['created']);
      expect(link.pushedStates(newest)).toEqual(['authenticating', 'connected']);
      expect(rig.connector.openRoute(link, old).accountId).toBeUndefined();
      expect(rig.delivery.routes.get(accountId)).toMatchObject({ channelId: newest });
      expect(rig.rows('account')).toHaveLength(1);
    });

    it('stops the old reader before it touches what that reader remembers', async () => {
      await begin();
      const link = rig.agent();
      const { channelId, accountId } = await rig.signedIn(link);
      rig.target.session().report({ status: 'expired', code: 'token_expired', since: 1 });
      const reader = rig.target.session();
      const answer = rig.connector.authStart(link, channelId, {});
      const signIn = await rig.nextSignIn();
      let closedBeforeReset = false;
      reader.onClose = () => {
        closedBeforeReset = rig.rows('consumer_state').length === 0;
        return Promise.resolve();
      };
      signIn.succeed({ identity: 'alice', initialState: { consumer: 'c', values: { cursor: '0' } } });
      expect((await answer).status).toBe('authenticated');
      expect(closedBeforeReset).toBe(true);
      expect(rig.rows('consumer_state')).toHaveLength(1);
      expect(rig.connector.openRoute(link, channelId).accountId).toBe(accountId);
    });

    it('keeps the working sign-in, credentials too, when the renewal can not be stored', async () => {
      await begin();
      const link = rig.agent();
      const { accountId } = await rig.signedIn(link);
      const before = rig.secrets.entries.get(`account/${accountId}`);
      const answer = rig.connector.signIn({});
      const signIn = await rig.nextSignIn();
      rig.store.refuse = 'disk_full';
      signIn.succeed({ identity: 'alice', credentials: { token: 'new' } });
      expect(await answer).toMatchObject({ status: 'failed', code: 'disk_full' });
      await settle();
      expect(rig.secrets.entries.get(`account/${accountId}`)).toBe(before);
      expect(rig.target.session().account.credentials).toEqual({ token: 'secret-of-alice' });
      rig.store.refuse = undefined;
    });
  });

  describe('signing out', () => {
    it('by the agent ends it everywhere and keeps the channel, created (sections 8.13 and 8.14, R44)', async () => {
      await begin();
      const link = rig.agent();
      const { channelId, accountId } = await rig.signedIn(link);
      const ack = await rig.connector.authLogout(link, channelId);
      expect(ack.status).toBe('ok');
      expect(ack.connection_descriptor.connection).toMatchObject({
        connector_channel_id: channelId,
        status: 'created',
      });
      expect(rig.target.signedOut).toEqual([accountId]);
      expect(rig.target.openSessions).toEqual([]);
      expect(rig.secrets.entries.size).toBe(0);
      expect(rig.rows('account')).toEqual([]);
      expect(rig.rows('channel')).toMatchObject([{ channel_id: channelId, account_id: null }]);
      expect(rig.delivery.forgottenAccounts).toEqual([{ accountId, reason: 'signed_out' }]);
      expect(rig.files.deletedFor).toEqual([{ accountId }]);
      expect(rig.connector.accounts()).toEqual([]);
    });

    it('notes what is left of the account, with its reader only when no other account needs it', async () => {
      await begin();
      rig.target.consumerOf = () => 'fake/shared';
      const [first, second] = [rig.agent(), rig.agent()];
      const one = await rig.signedIn(first, 'alice');
      const two = await rig.signedIn(second, 'bob');
      await rig.connector.signOut(one.accountId);
      expect(rig.rows('gone_account')).toMatchObject([{ account_id: one.accountId, consumer: null }]);
      await rig.connector.signOut(two.accountId);
      expect(rig.rows('gone_account')).toContainEqual(
        expect.objectContaining({ account_id: two.accountId, consumer: 'fake/shared', gone_at: rig.clock.now() }),
      );
    });

    it('leaves no reader behind that a new sign-in takes over', async () => {
      await begin();
      rig.target.consumerOf = () => 'fake/shared';
      const { accountId } = await rig.signedIn(rig.agent(), 'alice');
      await rig.connector.signOut(accountId);
      await rig.signedIn(rig.agent(), 'alice');
      expect(rig.rows('gone_account')).toMatchObject([{ account_id: accountId, consumer: null }]);
    });

    it('by the agent is fine on a channel without an account, and leaves the route open (R21)', async () => {
      await begin();
      const link = rig.agent();
      const { channelId } = await rig.signedIn(link);
      await rig.connector.authLogout(link, channelId);
      expect((await rig.connector.authLogout(link, channelId)).status).toBe('ok');
      expect(rig.connector.descriptor(link, channelId).connection.status).toBe('created');
    });

    it('keeps the channel id over a restart, so that the agent signs in on it again', async () => {
      await begin();
      const { channelId } = await rig.signedIn(rig.agent());
      await rig.connector.signOut(rig.connector.accounts()[0]?.accountId ?? '');
      await rig.restart();
      const link = rig.agent();
      const ack = await rig.connector.openChannel(link, channelId);
      expect(ack).toMatchObject({
        connector_channel_id: channelId,
        connection_descriptor: { connection: { status: 'created' } },
      });
    });

    it('by the window is pushed to the agent', async () => {
      await begin();
      const link = rig.agent();
      const { channelId, accountId } = await rig.signedIn(link);
      await settle();
      link.pushes.length = 0;
      expect(await rig.connector.signOut(accountId)).toBe(true);
      await settle();
      expect(link.pushedStates(channelId)).toEqual(['created']);
      expect(await rig.connector.signOut(accountId)).toBe(false);
    });

    it('does not wait for ever for a network that hangs', async () => {
      await begin();
      const link = rig.agent();
      const { channelId } = await rig.signedIn(link);
      rig.target.onSignOut = () => new Promise(() => undefined);
      const answer = rig.connector.authLogout(link, channelId);
      await rig.clock.advance(5_000);
      expect((await answer).status).toBe('ok');
    });

    it('is fine with a network that fails', async () => {
      await begin();
      const { accountId } = await rig.signedIn(rig.agent());
      rig.target.onSignOut = () => Promise.reject(new Error('no'));
      expect(await rig.connector.signOut(accountId)).toBe(true);
    });

    it('deletes the credentials later when the secret store is locked now, after a restart too', async () => {
      await begin();
      const { accountId } = await rig.signedIn(rig.agent());
      rig.secrets.become('locked');
      expect(await rig.connector.signOut(accountId)).toBe(true);
      expect(rig.secrets.entries.size).toBe(1);
      await rig.restart();
      rig.secrets.become('ready');
      await rig.clock.advance(5_000);
      expect(rig.secrets.entries.size).toBe(0);
      expect(rig.rows('unwanted_secret')).toEqual([]);
    });

    it('that the disk refuses is an error, and the account goes on', async () => {
      await begin();
      const link = rig.agent();
      const { channelId } = await rig.signedIn(link);
      rig.store.refuse = 'disk_full';
      await expect(rig.connector.authLogout(link, channelId)).rejects.toMatchObject({ code: 'internal_error' });
      rig.store.refuse = undefined;
      await settle();
      expect(rig.target.openSessions).toHaveLength(1);
      expect(rig.secrets.entries.size).toBe(1);
    });
  });

  describe('a connector that delivers to an AgentServer', () => {
    it('answers auth.start failed with a message that says so', async () => {
      await begin({}, { deliverTo: 'agentServer' });
      const link = rig.agent();
      const channelId = await rig.newChannel(link);
      const ack = await rig.connector.authStart(link, channelId, {});
      expect(ack.status).toBe('failed');
      expect(ack.message).toMatch(/AgentServer/);
      expect(rig.target.signIns).toEqual([]);
    });

    it('still takes sign-ins of the window', async () => {
      await begin({}, { deliverTo: 'agentServer' });
      const accountId = await rig.unclaimed();
      expect(rig.target.session().account.accountId).toBe(accountId);
      expect(rig.delivery.routes.get(accountId)).toBeUndefined();
    });
  });

  it('tells whoever listens of changes, once for many', async () => {
    await begin();
    let calls = 0;
    const stop = rig.connector.onChange(() => (calls += 1));
    const link = rig.agent();
    await Promise.all([rig.newChannel(link), rig.newChannel(link)]);
    await settle();
    expect(calls).toBe(1);
    stop();
    await rig.newChannel(link);
    await settle();
    expect(calls).toBe(1);
  });
});
