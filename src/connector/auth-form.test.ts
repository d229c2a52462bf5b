import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConnectorRig } from '../../test/support/connector-rig.js';
import { FORM_FLOW, QR_FLOW } from '../../test/support/fake-target.js';
import type { FakeLink } from '../../test/support/fake-link.js';
import { settle } from '../../test/support/manual-clock.js';
import { SignInFailure } from '../targets/target.js';

describe('signing in with a form (sections 8.7 and 8.8, R19)', () => {
  let rig: ConnectorRig;
  let link: FakeLink;
  let channelId: string;
  beforeEach(async () => {
    rig = await ConnectorRig.start({ authFlows: [FORM_FLOW] });
    link = rig.agent();
    channelId = await rig.newChannel(link);
  });
  afterEach(() => rig.stop());

  async function submit(input: Record<string, unknown>, identity = 'bot') {
    const begun = rig.target.signIns.length;
    const answer = rig.connector.authStart(link, channelId, { input });
    await settle();
    if (rig.target.signIns.length > begun) rig.target.signIn.succeed({ identity });
    const ack = await answer;
    await settle();
    return ack;
  }

  it.each([
    ['no input', undefined],
    ['null', null],
    ['an empty form', {}],
    ['a blank field', { bot_token: '  ' }],
    ['only the optional field', { chat_id: '5' }],
  ])('is refused with the name of the missing field for %s', async (_case, input) => {
    await expect(rig.connector.authStart(link, channelId, input === undefined ? {} : { input })).rejects.toMatchObject({
      name: 'AckError',
      code: 'auth_start_failed',
      message: 'bot_token is required',
    });
    expect(rig.target.signIns).toEqual([]);
  });

  it('tells what writes the log each secret before the network has it, and nothing that is none', async () => {
    const told: string[] = [];
    rig.onSecret = (secret) => told.push(secret);
    const answer = rig.connector.authStart(link, channelId, { input: { bot_token: 'S3CRET', chat_id: '5551' } });
    const signIn = await rig.nextSignIn();
    expect(told).toEqual(['S3CRET']);
    const asked = signIn.ask(['verify_code'], 'verify_code');
    const { auth_session_id = '' } = await answer;
    await rig.connector.authStatus(link, channelId, { auth_session_id, input: { verify_code: '112233' } });
    expect(told).toEqual(['S3CRET', '112233']);
    expect(await asked).toEqual({ verify_code: '112233' });
  });

  it('is refused without quoting the value when a field is not text', async () => {
    const input = { bot_token: { secret: 'S3CRET' } };
    const refused = await rig.connector.authStart(link, channelId, { input }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'auth_start_failed', message: 'bot_token must be text' });
  });

  it('hands the network the declared fields only, with numbers as text and names without spaces around', async () => {
    await submit({ bot_token: 'T 1', chat_id: 42, connector_card_id: 'x' });
    expect(rig.target.signIn.attempt.input).toEqual({ bot_token: 'T 1', chat_id: '42' });
    expect(await submit({ bot_token: 'T 2', chat_id: ' 43 ' })).toMatchObject({ status: 'authenticated' });
    expect(rig.target.signIn.attempt.input).toEqual({ bot_token: 'T 2', chat_id: '43' });
  });

  it('reports refused credentials as status failed with a message', async () => {
    const answer = rig.connector.authStart(link, channelId, { input: { bot_token: 'bad' } });
    (await rig.nextSignIn()).fail(new SignInFailure('token_rejected', 'The network does not know this token'));
    expect(await answer).toMatchObject({ status: 'failed', message: 'The network does not know this token' });
  });

  it('may go on with a QR to open, as pairing a bot does', async () => {
    const answer = rig.connector.authStart(link, channelId, { input: { bot_token: 'T' } });
    (await rig.nextSignIn()).showQr('https://t.example/bot?start=code');
    expect(await answer).toMatchObject({ status: 'pending', qr_code_text: 'https://t.example/bot?start=code' });
  });

  describe('on a channel that is signed in already', () => {
    it.each([
      ['no input', {}],
      ['equal input', { bot_token: 'T', chat_id: '7' }],
      ['equal input in another order, with a number', { chat_id: 7, bot_token: 'T' }],
    ])('is authenticated at once for %s, without asking the network', async (_case, input) => {
      await submit({ bot_token: 'T', chat_id: '7' });
      const ack = await submit(input);
      expect(ack.status).toBe('authenticated');
      expect(ack.connection_descriptor?.connection.status).toBe('connected');
      expect(rig.target.signIns).toHaveLength(1);
    });

    it('knows equal input again after a restart', async () => {
      await submit({ bot_token: 'T' });
      await rig.restart();
      rig.target.session().report({ status: 'connected', since: rig.clock.now() });
      link = rig.agent();
      await rig.connector.openChannel(link, channelId);
      expect((await submit({ bot_token: 'T' })).status).toBe('authenticated');
      expect(rig.target.signIns).toEqual([]);
    });

    it('keeps no trace of the input outside the secret store', async () => {
      await submit({ bot_token: 'T0KEN', chat_id: '7' });
      expect(JSON.stringify([rig.rows('account'), rig.rows('channel')])).not.toContain('T0KEN');
      const [entry] = [...rig.secrets.entries.values()];
      expect(entry).not.toContain('T0KEN');
    });

    it('renews the same account in place for new input of the same identity', async () => {
      await submit({ bot_token: 'T' }, 'bot');
      const { accountId } = rig.connector.openRoute(link, channelId);
      await submit({ bot_token: 'T2' }, 'bot');
      expect(rig.connector.openRoute(link, channelId).accountId).toBe(accountId);
      expect(rig.target.signIns).toHaveLength(2);
      expect(rig.delivery.forgottenAccounts).toEqual([]);
    });

    it('signs the old account out for new input of another identity', async () => {
      await submit({ bot_token: 'T' }, 'bot');
      const { accountId } = rig.connector.openRoute(link, channelId);
      await submit({ bot_token: 'T2' }, 'other');
      await settle();
      expect(rig.connector.openRoute(link, channelId).accountId).not.toBe(accountId);
      expect(rig.rows('account')).toMatchObject([{ identity: 'other' }]);
      expect(rig.delivery.forgottenAccounts).toEqual([{ accountId, reason: 'replaced' }]);
      expect(rig.target.signedOut).toEqual([accountId]);
      expect(rig.secrets.entries.has(`account/${accountId ?? ''}`)).toBe(false);
      expect(rig.target.openSessions).toHaveLength(1);
    });

    it('asks the network again for equal input once the sign-in is expired', async () => {
      await submit({ bot_token: 'T' });
      rig.target.session().report({ status: 'expired', code: 'token_expired', since: 1 });
      await submit({ bot_token: 'T' });
      expect(rig.target.signIns).toHaveLength(2);
    });

    it('keeps the working sign-in when the new input is refused', async () => {
      await submit({ bot_token: 'T' });
      const answer = rig.connector.authStart(link, channelId, { input: { bot_token: 'bad' } });
      (await rig.nextSignIn()).fail(new SignInFailure('token_rejected', 'no'));
      expect((await answer).status).toBe('failed');
      expect(rig.connector.descriptor(link, channelId).connection.status).toBe('connected');
      expect((await submit({})).status).toBe('authenticated');
    });
  });
});

describe('a sign-in whose line takes a moment to stand', () => {
  let rig: ConnectorRig;
  let link: FakeLink;
  let channelId: string;
  beforeEach(async () => {
    rig = await ConnectorRig.start({ authFlows: [FORM_FLOW], connectsSlowly: true });
    link = rig.agent();
    channelId = await rig.newChannel(link);
  });
  afterEach(() => rig.stop());

  /** Signed in, while its line is being made. */
  async function submitted(): Promise<{ answer: ReturnType<ConnectorRig['connector']['authStart']> }> {
    const answer = rig.connector.authStart(link, channelId, { input: { bot_token: 't' } });
    (await rig.nextSignIn()).succeed();
    await expect.poll(() => rig.target.openSessions.length).toBe(1);
    await settle();
    return { answer };
  }

  it('is answered with a descriptor whose tools can be used, once it does', async () => {
    const { answer } = await submitted();
    rig.target.session().report({ status: 'connected', since: rig.clock.now() });
    expect(await answer).toMatchObject({
      status: 'authenticated',
      connection_descriptor: { connection: { status: 'connected' }, tools: [{ status: 'available' }, {}] },
    });
  });

  it('is answered without waiting for more once it is known not to', async () => {
    const { answer } = await submitted();
    rig.target.session().report({ status: 'degraded', code: 'conflict', since: rig.clock.now() });
    expect(await answer).toMatchObject({ connection_descriptor: { connection: { status: 'degraded' } } });
  });

  it('is answered after a moment all the same, for both questions', async () => {
    const { answer } = await submitted();
    await rig.clock.advance(1_500);
    const { auth_session_id = '', ...ack } = await answer;
    expect(ack).toMatchObject({
      status: 'authenticated',
      connection_descriptor: { connection: { status: 'offline' } },
    });
    const asked = rig.connector.authStatus(link, channelId, { auth_session_id });
    await rig.clock.advance(1_500);
    expect(await asked).toMatchObject({ status: 'authenticated' });
  });

  it('lets a tool call wait for it, and a while only', async () => {
    const { answer } = await submitted();
    const payload = { tool_id: 'fake_message_send', arguments: { text: 'hello' } };
    const first = rig.connector.invokeTool(link, channelId, 'r1', payload).catch((error: unknown) => error);
    await rig.clock.advance(1_500);
    expect(await first).toMatchObject({ code: 'connector_channel_unavailable' });
    const second = rig.connector.invokeTool(link, channelId, 'r2', payload);
    await settle();
    rig.target.session().report({ status: 'connected', since: rig.clock.now() });
    expect(await second).toMatchObject({ result: { status: 'sent' } });
    await answer;
  });

  it('is answered when it was signed out meanwhile', async () => {
    const { answer } = await submitted();
    await rig.connector.authLogout(link, channelId);
    expect(await answer).toMatchObject({ status: 'failed' });
  });
});

describe('a connector with several flows', () => {
  it('needs a flow id and serves each flow', async () => {
    const rig = await ConnectorRig.start({ authFlows: [QR_FLOW, FORM_FLOW] });
    const link = rig.agent();
    const channelId = await rig.newChannel(link);
    await expect(rig.connector.authStart(link, channelId, {})).rejects.toMatchObject({ code: 'auth_start_failed' });
    const answer = rig.connector.authStart(link, channelId, { flow_id: FORM_FLOW.id, input: { bot_token: 'T' } });
    (await rig.nextSignIn()).succeed();
    expect((await answer).flow_id).toBe(FORM_FLOW.id);
    await rig.stop();
  });
});
