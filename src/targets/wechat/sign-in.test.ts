import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { faults, PERSON, type IlinkSimulator } from '../../../test/simulators/ilink/index.js';
import { WechatRig, type QrSignIn } from '../../../test/support/wechat-rig.js';
import { MAX_QR_CODES } from './sign-in.js';
import { QR_SHOWN_MS, SCANNED_EXTRA_MS } from './qr.js';

let at: WechatRig;
let ilink: IlinkSimulator;

beforeEach(async () => {
  at = await WechatRig.start();
  ({ ilink } = at);
});

afterEach(() => at.stop());

const statusOf = (signIn: QrSignIn): string => signIn.progress.at(-1)?.status ?? 'none';
const begun = async (...args: Parameters<WechatRig['signIn']>): Promise<QrSignIn> => {
  const signIn = at.signIn(...args);
  await ilink.until(() => signIn.qrs().length === 1 && ilink.callsOf('get_qrcode_status').length > 0);
  return signIn;
};

describe('signing in by QR', () => {
  it('shows a QR with its end, follows the scan, and brings credentials, names and an empty cursor', async () => {
    const signIn = await begun();
    expect(signIn.progress[0]).toMatchObject({
      status: 'pending',
      message: 'scan_qr',
      qr: { text: ilink.logins.qr.text, expiresAt: at.clock.now() + QR_SHOWN_MS },
    });
    ilink.logins.scan();
    await at.passUntil(() => statusOf(signIn) === 'scanned');
    const bot = ilink.logins.confirm(PERSON);
    const signedIn = await at.passing(signIn.done);
    expect(signedIn).toMatchObject({
      identity: PERSON,
      binding: { botId: bot.botId, userId: PERSON, baseUrl: ilink.apiBaseUrl },
      credentials: { botToken: bot.token },
      initialState: { consumer: `wechat/${PERSON}`, values: { cursor: null, context_token: null } },
    });
    expect(JSON.stringify({ ...signedIn, credentials: {} })).not.toContain(bot.token);
    expect(signedIn.accountHint).toBe('b0f5***aa55');
  });

  it('keeps waiting through timeouts, gateways and broken lines', async () => {
    const signIn = await begun();
    for (const fault of [
      faults.status(524),
      faults.status(502),
      faults.status(429),
      { kind: 'cutBefore' },
      { kind: 'truncate' },
    ] as const) {
      ilink.faults.add('get_qrcode_status', fault);
    }
    ilink.faults.add('get_qrcode_status', { kind: 'garbage', body: '<html>' });
    ilink.logins.say({ status: 'a state of next year' });
    await at.passUntil(() => ilink.callsOf('get_qrcode_status').length >= 7);
    ilink.logins.confirm(PERSON);
    expect((await at.passing(signIn.done)).identity).toBe(PERSON);
  });

  it('asks for a new QR again when the line breaks, and gives up when it stays broken', async () => {
    ilink.faults.add('get_bot_qrcode', { kind: 'cutBefore' });
    ilink.faults.add('get_bot_qrcode', faults.status(429));
    const signIn = at.signIn();
    await at.passUntil(() => signIn.qrs().length === 1);
    signIn.cancel();
    ilink.faults.add('get_bot_qrcode', faults.status(502), 9);
    await expect(at.passing(at.signIn().done)).rejects.toMatchObject({ name: 'TransportError' });
  });

  it(`shows ${MAX_QR_CODES} codes and then says that nobody scanned (B03)`, async () => {
    const signIn = await begun();
    for (let shown = 1; shown <= MAX_QR_CODES; shown += 1) {
      await at.passUntil(() => signIn.qrs().length === shown);
      ilink.logins.expire();
    }
    await expect(at.passing(signIn.done)).rejects.toMatchObject({ code: 'qr_expired', status: 'expired' });
    expect(ilink.logins.shown).toHaveLength(MAX_QR_CODES);
    expect(signIn.progress.filter(({ status }) => status === 'qr_refresh_required')).toHaveLength(MAX_QR_CODES - 1);
  });

  it('renews a QR before the server forgets it, and leaves a scanned one time to be confirmed', async () => {
    const signIn = await begun();
    await at.clock.advance(QR_SHOWN_MS);
    await at.passUntil(() => signIn.qrs().length === 2);
    ilink.logins.scan();
    await at.passUntil(() => statusOf(signIn) === 'scanned');
    await at.clock.advance(QR_SHOWN_MS);
    expect(signIn.qrs()).toHaveLength(2);
    await at.clock.advance(SCANNED_EXTRA_MS);
    await at.passUntil(() => signIn.qrs().length === 3);
    signIn.cancel();
  });

  it('starts the count again when the person asks for a new one', async () => {
    const signIn = await begun();
    for (let shown = 2; shown <= MAX_QR_CODES + 2; shown += 1) {
      signIn.refresh();
      await at.passUntil(() => signIn.qrs().length === shown);
    }
    ilink.logins.confirm(PERSON);
    expect((await at.passing(signIn.done)).identity).toBe(PERSON);
  });

  it('never binds by a late answer about an old QR', async () => {
    const signIn = await begun();
    ilink.faults.add('get_qrcode_status', { kind: 'holdAfter' });
    ilink.logins.scan();
    await at.passUntil(() => statusOf(signIn) === 'scanned' || ilink.callsOf('get_qrcode_status').length > 1);
    const old = ilink.logins.qr;
    ilink.logins.confirm('somebody-else@im.wechat', old);
    signIn.refresh();
    await at.passUntil(() => signIn.qrs().length === 2);
    ilink.release();
    ilink.logins.confirm(PERSON);
    expect((await at.passing(signIn.done)).identity).toBe(PERSON);
  });

  it('can be canceled at any moment, without effect', async () => {
    const signIn = await begun();
    signIn.cancel();
    // In the middle of a poll it is the poll that says so.
    await expect(at.passing(signIn.done)).rejects.toThrow(/canceled|abandoned/);
  });

  it('refuses a confirmation without credentials instead of polling a used QR for ever', async () => {
    const signIn = await begun();
    ilink.logins.say({ status: 'confirmed', ilink_bot_id: 'x@im.bot', ilink_user_id: PERSON });
    await expect(at.passing(signIn.done)).rejects.toMatchObject({ code: 'login_incomplete' });
  });
});

describe('the verify code', () => {
  it('is asked for, sent at once, and asked for again when it was wrong', async () => {
    const signIn = await begun();
    const demandedAt = at.clock.now();
    ilink.logins.demandCode('4711');
    await at.passUntil(() => signIn.asked.length === 1);
    // Whoever has the phone in their hand is told of the time that they have now.
    const last = signIn.progress.at(-1);
    expect(last?.status).toBe('pending');
    expect(last && 'qr' in last && last.qr.expiresAt).toBeGreaterThanOrEqual(demandedAt + SCANNED_EXTRA_MS);
    signIn.answer(' 0000 ');
    await at.passUntil(() => signIn.asked.length === 2);
    expect(signIn.asked).toEqual(['verify_code', 'verify_code_wrong']);
    signIn.answer('4711');
    await at.passUntil(() => statusOf(signIn) === 'scanned');
    ilink.logins.confirm(PERSON);
    expect((await at.passing(signIn.done)).identity).toBe(PERSON);
  });

  it('blocked after too many wrong ones: a new QR, and the old question is over', async () => {
    const signIn = await begun();
    ilink.logins.demandCode('4711');
    for (let tries = 1; tries <= 3; tries += 1) {
      await at.passUntil(() => signIn.asked.length === tries);
      signIn.answer('1');
    }
    await at.passUntil(() => signIn.qrs().length === 2);
    ilink.logins.demandCode('12');
    await at.passUntil(() => signIn.asked.length === 4);
    expect(signIn.asked.at(-1)).toBe('verify_code');
    signIn.cancel();
  });
});

describe('the host of a sign-in', () => {
  it('follows a redirect for this QR only; the next starts at the fixed base again', async () => {
    const signIn = await begun();
    ilink.logins.redirect(`127.0.0.1:${ilink.cdnPort}`, ilink.cdnPort);
    await at.passUntil(() => ilink.calls.at(-1)?.port === ilink.cdnPort);
    expect(statusOf(signIn)).toBe('scanned');
    ilink.logins.expire();
    await at.passUntil(() => signIn.qrs().length === 2 && ilink.calls.at(-1)?.endpoint === 'get_qrcode_status');
    expect(ilink.calls.at(-1)?.port).toBe(ilink.apiPort);
    signIn.cancel();
  });

  it('stays where it is when a redirect names no host', async () => {
    const signIn = await begun();
    ilink.logins.redirect(undefined, undefined);
    await at.passUntil(() => statusOf(signIn) === 'scanned');
    ilink.logins.confirm(PERSON);
    expect((await at.passing(signIn.done)).binding).toMatchObject({ baseUrl: ilink.apiBaseUrl });
  });

  it.each(['evil.example', 'weixin.qq.com.evil.example', '127.0.0.1:1', 'weixin.qq.com:8443', 'x@weixin.qq.com'])(
    'does not go to %s',
    async (host) => {
      const signIn = await begun();
      ilink.logins.redirect(host, undefined);
      await expect(at.passing(signIn.done)).rejects.toMatchObject({ code: 'untrusted_host' });
    },
  );

  it('does not take a foreign API base with the credentials', async () => {
    ilink.logins.baseUrl = 'https://collector.example/';
    const signIn = await begun();
    ilink.logins.confirm(PERSON);
    await expect(at.passing(signIn.done)).rejects.toMatchObject({ code: 'untrusted_host' });
  });

  it('goes on with the base that came with the credentials', async () => {
    ilink.logins.baseUrl = `${ilink.cdnBaseUrl}/?x=1`;
    const signIn = await begun();
    ilink.logins.confirm(PERSON);
    expect((await at.passing(signIn.done)).binding).toMatchObject({ baseUrl: ilink.cdnBaseUrl });
  });
});

describe('signing in again', () => {
  it('renews the same account, whatever the new bot is called, and keeps what its secrets sealed', async () => {
    const signedIn = await at.signedIn();
    const existing = [{ accountId: 'acc_1', signedIn }];
    ilink.logins.live.clear();
    const again = await at.signedIn(existing);
    expect(again.identity).toBe(signedIn.identity);
    expect(again.credentials['botToken']).not.toBe(signedIn.credentials['botToken']);
    expect(again.credentials['sealKey']).toBe(signedIn.credentials['sealKey']);
    expect(ilink.callsOf('get_bot_qrcode').at(-1)?.body['local_token_list']).toEqual([
      signedIn.credentials['botToken'],
    ]);
  });

  it('goes on with the stored credentials when the phone says that it is bound already', async () => {
    const signedIn = await at.signedIn();
    const again = await at.signedIn([{ accountId: 'acc_1', signedIn }]);
    expect(again).toMatchObject({ identity: PERSON, binding: signedIn.binding, credentials: signedIn.credentials });
    expect(again.initialState).toBeUndefined();
  });

  it('does not guess which of several accounts is meant', async () => {
    const signedIn = await at.signedIn();
    const other = { ...signedIn, identity: 'other@im.wechat' };
    const signIn = await begun([
      { accountId: 'acc_1', signedIn },
      { accountId: 'acc_2', signedIn: other },
    ]);
    ilink.logins.say({ status: 'binded_redirect' });
    await expect(at.passing(signIn.done)).rejects.toMatchObject({ code: 'already_connected' });
  });

  it('says so when it is bound to a sign-in that is not here', async () => {
    const signIn = await begun();
    ilink.logins.say({ status: 'binded_redirect' });
    await expect(at.passing(signIn.done)).rejects.toMatchObject({ code: 'bound_elsewhere' });
  });
});
