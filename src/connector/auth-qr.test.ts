import jsQR from 'jsqr';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConnectorRig, SESSION_TTL_MS } from '../../test/support/connector-rig.js';
import { QR_FLOW } from '../../test/support/fake-target.js';
import type { FakeLink } from '../../test/support/fake-link.js';
import { decodePng } from '../../test/support/decode-png.js';
import { settle } from '../../test/support/manual-clock.js';
import { SignInFailure } from '../targets/target.js';
import { TargetRefusal, TransportError } from '../base/errors.js';
import { ProxyError } from '../base/proxy/proxy-error.js';
import { AUTH_ANSWER_WAIT_MS } from './auth-packets.js';

describe('signing in with a QR (sections 8.7 to 8.10)', () => {
  let rig: ConnectorRig;
  let link: FakeLink;
  let channelId: string;
  beforeEach(async () => {
    rig = await ConnectorRig.start();
    link = rig.agent();
    channelId = await rig.newChannel(link);
  });
  afterEach(() => rig.stop());

  /** Starts and shows a QR; returns the session id. */
  async function startWithQr(text = 'https://scan.example/1'): Promise<string> {
    const answer = rig.connector.authStart(link, channelId, {});
    (await rig.nextSignIn()).showQr(text);
    const ack = await answer;
    return ack.auth_session_id ?? '';
  }

  function status(auth_session_id: string, more: Record<string, unknown> = {}) {
    return rig.connector.authStatus(link, channelId, { auth_session_id, ...more });
  }

  describe('auth.start', () => {
    it('answers pending with the QR as text and as an image that scans, as soon as there is one', async () => {
      const expiresAt = rig.clock.now() + 110_000;
      const answer = rig.connector.authStart(link, channelId, { flow_id: QR_FLOW.id });
      (await rig.nextSignIn()).showQr('https://scan.example/secret', expiresAt);
      const ack = await answer;
      expect(ack).toMatchObject({
        connector_channel_id: channelId,
        flow_id: QR_FLOW.id,
        status: 'pending',
        qr_code_text: 'https://scan.example/secret',
        expires_at: expiresAt,
        poll_interval_millis: 2000,
        message: 'Scan the QR code to sign in.',
      });
      expect(ack.auth_session_id).toMatch(/^auth_/);
      expect(ack).not.toHaveProperty('connection_descriptor');
      expect(ack.qr_code_image).toMatch(/^data:image\/png;base64,/);
      const image = decodePng(Buffer.from(ack.qr_code_image?.split(',')[1] ?? '', 'base64'));
      expect(jsQR(image.data, image.width, image.height)?.data).toBe('https://scan.example/secret');
    });

    it('answers pending without a QR after a few seconds when the network is slow, and asks to poll soon', async () => {
      let answered = false;
      const answer = rig.connector.authStart(link, channelId, {}).then((ack) => {
        answered = true;
        return ack;
      });
      await rig.clock.advance(AUTH_ANSWER_WAIT_MS - 1);
      expect(answered).toBe(false);
      await rig.clock.advance(1);
      const ack = await answer;
      expect(ack.status).toBe('pending');
      expect(ack).not.toHaveProperty('qr_code_text');
      expect(ack.poll_interval_millis).toBe(500);
    });

    it('is refused for an unknown flow (R19)', async () => {
      await expect(rig.connector.authStart(link, channelId, { flow_id: 'nope' })).rejects.toMatchObject({
        name: 'AckError',
        code: 'auth_start_failed',
      });
    });

    it('takes an empty flow id for the only flow (R19)', async () => {
      const answer = rig.connector.authStart(link, channelId, { flow_id: '' });
      (await rig.nextSignIn()).showQr('x');
      expect((await answer).flow_id).toBe(QR_FLOW.id);
    });

    it('supersedes an unfinished sign-in of the channel: the old one is aborted and its late yes is dropped', async () => {
      const old = await startWithQr('https://scan.example/old');
      const oldSignIn = rig.target.signIn;
      await startWithQr('https://scan.example/new');
      expect(oldSignIn.aborted).toBe(true);
      oldSignIn.succeed({ identity: 'late' });
      await settle();
      expect(rig.connector.accounts()).toEqual([]);
      expect(rig.secrets.entries.size).toBe(0);
      expect((await status(old)).status).toBe('expired');
    });

    it('does not touch the sign-in of another channel', async () => {
      await startWithQr();
      const first = rig.target.signIn;
      const other = await rig.newChannel(link);
      void rig.connector.authStart(link, other, {});
      await settle();
      expect(first.aborted).toBe(false);
    });

    it('shows the channel as authenticating to whoever asks meanwhile', async () => {
      await startWithQr();
      expect(rig.connector.descriptor(link, channelId).connection.status).toBe('authenticating');
    });

    it('pushes that it is authenticating, and that it is so no longer when nothing came of it', async () => {
      const session = await startWithQr();
      await settle();
      expect(link.pushedStates(channelId)).toEqual(['authenticating']);
      rig.connector.descriptor(link, channelId);
      await rig.clock.advance(SESSION_TTL_MS);
      expect((await status(session)).status).toBe('expired');
      expect(link.pushedStates(channelId)).toEqual(['authenticating', 'created']);
    });
  });

  describe('success', () => {
    it('is stored before it is said: credentials, account, channel and initial state', async () => {
      const session = await startWithQr();
      rig.target.signIn.succeed({
        identity: 'alice',
        credentials: { token: 'T' },
        initialState: { consumer: 'fake/alice', values: { cursor: '7', gone: null } },
      });
      await settle();
      const ack = await status(session);
      const [account] = rig.rows('account');
      expect(ack.status).toBe('authenticated');
      expect(account).toMatchObject({ card_id: 'im.fake', identity: 'alice', claimed: 1 });
      expect(rig.rows('channel')).toMatchObject([{ channel_id: channelId, account_id: account?.['account_id'] }]);
      expect(rig.rows('consumer_state')).toMatchObject([{ consumer: 'fake/alice', key: 'cursor', value: '7' }]);
      expect(rig.secrets.entries.get(`account/${String(account?.['account_id'])}`)).toContain('"token":"T"');
      expect(rig.rows('unwanted_secret')).toEqual([]);
    });

    it('opens the account with its credentials and leads its messages to the channel', async () => {
      const session = await startWithQr();
      rig.target.signIn.succeed({ identity: 'alice' });
      await settle();
      const { accountId } = rig.connector.openRoute(link, channelId);
      expect(rig.target.session().account).toMatchObject({ accountId, credentials: { token: 'secret-of-alice' } });
      expect(rig.delivery.sessions.get(accountId ?? '')).toBe(rig.target.session());
      expect(rig.delivery.routes.get(accountId ?? '')).toMatchObject({ kind: 'xagent', channelId });
      expect((await status(session)).connection_descriptor?.connection.status).toBe('connected');
    });

    it('is pushed to the agent that has not asked yet', async () => {
      await startWithQr();
      rig.target.signIn.succeed({ identity: 'alice' });
      await settle();
      expect(link.pushedStates(channelId)).toEqual(['authenticating', 'connected']);
    });

    it('that comes at once is in the start ack itself, and the push comes after it', async () => {
      const pushed = (): string[] => link.pushedStates(channelId);
      const answer = rig.connector.authStart(link, channelId, {}).then((ack) => ({ ack, pushes: pushed() }));
      (await rig.nextSignIn()).succeed({ identity: 'alice' });
      const { ack, pushes } = await answer;
      expect(ack).toMatchObject({ status: 'authenticated', message: 'Signed in.' });
      expect(ack.connection_descriptor?.tools).toContainEqual({
        tool_id: 'fake_message_send',
        status: 'available',
        target_permission_state: 'granted',
      });
      expect(pushes).toEqual(['authenticating']);
      await settle();
      expect(pushed()).toEqual(['authenticating', 'connected']);
    });

    it('puts no secret into anything the agent sees', async () => {
      const answer = rig.connector.authStart(link, channelId, {});
      (await rig.nextSignIn()).succeed({ identity: 'alice' });
      expect(JSON.stringify([await answer, link.pushes])).not.toContain('secret-of-alice');
      const tables = JSON.stringify([rig.rows('account'), rig.rows('channel'), rig.rows('consumer_state')]);
      expect(tables).not.toContain('secret-of-alice');
    });
  });

  describe('auth.status', () => {
    it('follows the sign-in: scanned, then a new QR asked for by the network', async () => {
      const session = await startWithQr('https://scan.example/1');
      const qr = { text: 'https://scan.example/1', expiresAt: rig.clock.now() + 60_000 };
      rig.target.signIn.report({ status: 'scanned', qr, message: 'confirm_on_phone' });
      await settle();
      expect(await status(session)).toMatchObject({ status: 'scanned', message: 'Scanned. Confirm on your phone.' });
      rig.target.signIn.report({ status: 'qr_refresh_required', message: 'qr_renewing' });
      const waiting = await status(session);
      expect(waiting.status).toBe('qr_refresh_required');
      expect(waiting).not.toHaveProperty('qr_code_text');
    });

    it('with refresh asks for a new QR, waits for it and answers with it', async () => {
      const session = await startWithQr('https://scan.example/1');
      const answer = status(session, { refresh: true });
      await settle();
      expect(rig.target.signIn.refreshes).toBe(1);
      rig.target.signIn.showQr('https://scan.example/2');
      expect((await answer).qr_code_text).toBe('https://scan.example/2');
    });

    it('with refresh gives the person the whole time again', async () => {
      const session = await startWithQr();
      await rig.clock.advance(SESSION_TTL_MS - 10_000);
      const answer = status(session, { refresh: true });
      await rig.clock.advance(20_000);
      expect((await answer).status).toBe('pending');
    });

    it('with refresh on a session that ended without an account tries again under the same id', async () => {
      const session = await startWithQr();
      rig.target.signIn.fail(new SignInFailure('qr_expired', 'not scanned', 'expired'));
      await settle();
      expect((await status(session)).status).toBe('expired');
      const answer = status(session, { refresh: true });
      (await rig.nextSignIn()).showQr('https://scan.example/again');
      expect(await answer).toMatchObject({
        auth_session_id: session,
        status: 'pending',
        qr_code_text: 'https://scan.example/again',
      });
      expect(rig.target.signIns).toHaveLength(2);
    });

    it('asks for what the network asks the person, and hands over what is given', async () => {
      const session = await startWithQr();
      const asked = rig.target.signIn.ask(['verify_code'], 'verify_code');
      expect(await status(session)).toMatchObject({
        status: 'pending',
        input_required: ['verify_code'],
        message: 'Enter the verify code that your phone shows.',
      });
      await status(session, { input: { verify_code: ' ' } });
      expect((await status(session)).input_required).toEqual(['verify_code']);
      const after = await status(session, { input: { verify_code: 1234, other: 'ignored' } });
      expect(await asked).toEqual({ verify_code: '1234' });
      expect(after).not.toHaveProperty('input_required');
    });

    it('stays pending while it asks, also when the code was scanned before', async () => {
      const session = await startWithQr();
      rig.target.signIn.report({ status: 'scanned', message: 'confirm_on_phone' });
      expect((await status(session)).status).toBe('scanned');
      const asked = rig.target.signIn.ask(['verify_code'], 'verify_code');
      expect(await status(session)).toMatchObject({ status: 'pending', input_required: ['verify_code'] });
      rig.target.signIn.report({ status: 'scanned', message: 'confirm_on_phone' });
      expect(await status(session)).toMatchObject({ status: 'pending', input_required: ['verify_code'] });
      await status(session, { input: { verify_code: '1234' } });
      await asked;
      rig.target.signIn.report({ status: 'scanned', message: 'confirm_on_phone' });
      expect((await status(session)).status).toBe('scanned');
    });

    it('is an error for a session that does not exist, or is another channel’s (R18)', async () => {
      const session = await startWithQr();
      const notFound = { name: 'AckError', code: 'auth_session_not_found' };
      await expect(status('auth_unknown')).rejects.toMatchObject(notFound);
      const other = await rig.newChannel(link);
      await expect(rig.connector.authStatus(link, other, { auth_session_id: session })).rejects.toMatchObject(notFound);
    });

    it('is an error after a restart: sessions live in memory (R51)', async () => {
      const first = await rig.signedIn(link, 'alice');
      void rig.connector.authStart(link, first.channelId, {});
      const session = (await rig.connector.authStart(link, first.channelId, {})).auth_session_id ?? '';
      await rig.restart();
      const again = rig.agent();
      await rig.connector.openChannel(again, first.channelId);
      await expect(
        rig.connector.authStatus(again, first.channelId, { auth_session_id: session }),
      ).rejects.toMatchObject({ code: 'auth_session_not_found' });
    });

    it('without a session id tells where the channel stands (R18)', async () => {
      expect(await rig.connector.authStatus(link, channelId, {})).toMatchObject({ status: 'unauthenticated' });
      await rig.signInOn(link, channelId);
      const ack = await rig.connector.authStatus(link, channelId, { auth_session_id: '' });
      expect(ack.status).toBe('authenticated');
      expect(ack.connection_descriptor?.connection.status).toBe('connected');
    });

    it('tells the truth about a finished session whose account was signed out since', async () => {
      const session = await startWithQr();
      rig.target.signIn.succeed({ identity: 'alice' });
      await settle();
      await rig.connector.authLogout(link, channelId);
      expect(await status(session)).toMatchObject({ status: 'unauthenticated', auth_session_id: session });
    });
  });

  describe('failure', () => {
    it.each([
      ['the network says no', new SignInFailure('login_refused', 'The network said no'), 'The network said no'],
      [
        'the network refuses',
        new TargetRefusal('denied', 'Denied by the network', { retryable: false }),
        'Denied by the network',
      ],
      [
        'the network can not be reached',
        new TransportError('timeout', 'timeout', { effect: 'none' }),
        'The network could not be reached. Try again.',
      ],
      [
        'the certificate of the network is not trusted',
        new TransportError('certificate_refused', 'not trusted', { effect: 'none' }),
        "The server's certificate is not trusted: it is not valid, or something on the way shows one of its own.",
      ],
      [
        'a proxy can not be reached',
        new ProxyError('proxy_unreachable', { kind: 'http', host: 'proxy.test', port: 8080 }),
        'The proxy on the way to the network can not be reached. "doctor" names it.',
      ],
      ['something breaks', new Error('token=123'), 'The sign-in failed inside the connector.'],
    ])('is an ack with status failed and a message when %s (R19)', async (_case, error, message) => {
      const answer = rig.connector.authStart(link, channelId, {});
      (await rig.nextSignIn()).fail(error);
      expect(await answer).toMatchObject({ status: 'failed', message });
    });

    it.each([
      ['disk_full', /disk of this machine is full/],
      ['read_only', /could not be stored on this machine/],
    ])('of the disk below the secret store (%s) is no lock', async (code, words) => {
      rig.secrets.become('failed', code);
      const answer = rig.connector.authStart(link, channelId, {});
      (await rig.nextSignIn()).succeed();
      expect((await answer).message).toMatch(words);
    });

    it('of the secret store fails the sign-in and leaves nothing behind', async () => {
      const answer = rig.connector.authStart(link, channelId, {});
      const signIn = await rig.nextSignIn();
      rig.secrets.become('locked');
      signIn.succeed({ identity: 'alice' });
      expect((await answer).message).toMatch(/secret store is locked or missing/);
      expect((await answer).status).toBe('failed');
      expect(rig.rows('account')).toEqual([]);
      expect(rig.rows('channel')).toEqual([]);
      expect(rig.target.openSessions).toEqual([]);
    });

    it('of the disk fails the sign-in and takes the credentials out of the secret store again', async () => {
      const answer = rig.connector.authStart(link, channelId, {});
      const signIn = await rig.nextSignIn();
      const release = rig.secrets.hold();
      signIn.succeed({ identity: 'alice' });
      await settle();
      rig.store.refuse = 'disk_full';
      release();
      expect((await answer).status).toBe('failed');
      expect(rig.rows('account')).toEqual([]);
      rig.store.refuse = undefined;
      rig.connector.wake();
      await settle();
      expect(rig.secrets.entries.size).toBe(0);
      expect(rig.rows('unwanted_secret')).toEqual([]);
    });

    it('of a crash between secret store and database leaves no secret for ever', async () => {
      void rig.connector.authStart(link, channelId, {});
      const signIn = await rig.nextSignIn();
      const release = rig.secrets.hold();
      signIn.succeed({ identity: 'alice' });
      await settle();
      rig.store.refuse = 'closed';
      release();
      await settle();
      rig.store.refuse = undefined;
      await rig.restart({ crash: true });
      expect(rig.secrets.entries.size).toBe(0);
    });
  });

  describe('expiry', () => {
    it('ends a session that nobody completes, and its late yes is dropped', async () => {
      const session = await startWithQr();
      const signIn = rig.target.signIn;
      await rig.clock.advance(SESSION_TTL_MS);
      expect(signIn.aborted).toBe(true);
      expect(await status(session)).toMatchObject({ status: 'expired' });
      signIn.succeed({ identity: 'late' });
      await settle();
      expect(rig.rows('account')).toEqual([]);
    });

    it('runs on monotonic time: a jump of the system clock ends no session', async () => {
      const session = await startWithQr();
      rig.clock.jumpWall(10 * SESSION_TTL_MS);
      await rig.clock.advance(1_000);
      expect((await status(session)).status).toBe('pending');
    });
  });
});
