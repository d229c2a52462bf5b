import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { faults, PERSON, type IlinkSimulator } from '../../../test/simulators/ilink/index.js';
import { never, text, WechatRig } from '../../../test/support/wechat-rig.js';
import type { OpenedAccount } from '../../../test/support/target-rig.js';
import type { SignedIn } from '../target.js';
import { REPLIES_PER_MESSAGE } from './conversation.js';
import { FIRST_CHECK_MS, SLOW_CHECK_MS } from './receiver.js';

let at: WechatRig;
let ilink: IlinkSimulator;
let account: OpenedAccount;

beforeEach(async () => {
  at = await WechatRig.start();
  ({ ilink } = at);
  account = await at.openConversation();
  await at.passUntil(() => ilink.inbox.polling === 1);
});

afterEach(() => at.stop());

const notices = () => account.states.filter(({ status }) => status === 'expired').length;

/** The account as it lies on the disk. */
const stored = (): SignedIn => {
  const bot = ilink.logins.bots[0];
  const binding = { botId: bot?.botId ?? '', userId: PERSON, baseUrl: ilink.apiBaseUrl };
  const credentials = { botToken: bot?.token ?? '', sealKey: Buffer.alloc(32).toString('base64') };
  return { identity: PERSON, displayName: '', accountHint: '', binding, credentials };
};

/** The poll in flight ends with its next answer. */
const nextPoll = () => at.rig.runtime.wake?.();

describe('a token that is refused', () => {
  it('taken over elsewhere: one notice of start, one more poll, then the truth once and no more polls (B01, B02)', async () => {
    ilink.logins.rebind(PERSON);
    nextPoll();
    await at.passUntil(() => account.state() === 'expired:taken_over');
    const polls = ilink.callsOf('getupdates').length;
    expect(ilink.callsOf('notifystart')).toHaveLength(2);
    await at.clock.advance(3 * SLOW_CHECK_MS - 1_000);
    await at.passUntil(() => ilink.callsOf('getconfig').length >= 1);
    expect(notices()).toBe(1);
    expect(ilink.callsOf('getupdates')).toHaveLength(polls);
  });

  it.each([faults.ret(-14), faults.errcode(-14, 'session timeout')])(
    'once, it is revived by a notice of start',
    async (fault) => {
      ilink.faults.add('getupdates', fault);
      nextPoll();
      await at.passUntil(() => ilink.callsOf('notifystart').length === 2 && ilink.inbox.polling === 1);
      ilink.say('still here');
      await at.received(2);
      expect(account.state()).toBe('connected');
      expect(notices()).toBe(0);
    },
  );

  it('comes back by itself when the network takes it again', async () => {
    ilink.faults.add('getupdates', faults.ret(-14), 2);
    nextPoll();
    await at.passUntil(() => account.state() === 'expired:taken_over');
    await at.clock.advance(SLOW_CHECK_MS);
    await at.passUntil(() => ilink.inbox.polling === 1);
    ilink.say('back');
    await at.received(2);
    expect(account.state()).toBe('connected');
  });

  it('goes on being looked at after a restart, without a poll, and comes back', async () => {
    await account.session.close();
    await ilink.until(() => ilink.inbox.polling === 0);
    const live = [...ilink.logins.live];
    ilink.logins.live.clear();
    const polls = ilink.callsOf('getupdates').length;
    account = at.rig.open('acc_1', stored(), { status: 'expired', code: 'taken_over', since: 1 });
    expect(account.session.replyWindow?.()?.remaining).toBe(0);
    at.rig.runtime.wake?.();
    await at.clock.advance(FIRST_CHECK_MS);
    await ilink.until(() => ilink.callsOf('getconfig').length === 1);
    expect(account.states).toEqual([]);
    expect(ilink.callsOf('getupdates')).toHaveLength(polls);
    for (const entry of live) ilink.logins.live.add(entry);
    await at.clock.advance(SLOW_CHECK_MS);
    await at.passUntil(() => account.state() === 'connected');
    ilink.say('back');
    await at.received(2);
    expect(account.session.replyWindow?.()?.remaining).toBe(REPLIES_PER_MESSAGE);
  });

  it('does not come back because a gateway answers in its place', async () => {
    ilink.faults.add('getupdates', faults.ret(-14), 2);
    nextPoll();
    await at.passUntil(() => account.state() === 'expired:taken_over');
    ilink.faults.add('getconfig', faults.status(404));
    await at.clock.advance(SLOW_CHECK_MS);
    await ilink.until(() => ilink.callsOf('getconfig').length === 1);
    await at.clock.advance(1_000);
    expect(account.state()).toBe('expired:taken_over');
  });

  it('a reply that meets it fails for good, and the poller looks at once', async () => {
    ilink.logins.rebind(PERSON);
    const sending = at.passing(account.session.send(text('x'), 'k', never));
    await expect(sending).rejects.toMatchObject({ code: 'stale_token', account: 'expired' });
    await at.passUntil(() => account.state() === 'expired:taken_over');
  });

  it('at the first poll of a start it is called signed out, not taken over', async () => {
    await account.session.close();
    await ilink.until(() => ilink.inbox.polling === 0);
    ilink.logins.live.clear();
    account = at.rig.open('acc_1', stored());
    await at.passUntil(() => account.state() === 'expired:signed_out');
  });
});

describe('a line that fails', () => {
  it('a server that holds longer than we wait is well; one that hangs is not (B41)', async () => {
    ilink.faults.add('getupdates', { kind: 'hang' }, 99);
    nextPoll();
    const since = at.clock.now();
    await at.passUntil(() => account.state() !== 'connected', 250);
    const silent = at.clock.now() - since;
    expect(silent).toBeGreaterThan(80_000);
    expect(silent).toBeLessThanOrEqual(150_000);
  });

  it.each([
    ['cut', { kind: 'cutBefore' }],
    ['garbage', { kind: 'garbage', body: '{"ret":' }],
    ['half', { kind: 'truncate' }],
    ['a gateway', faults.status(524)],
    ['a refusal', faults.ret(-1)],
  ] as const)('%s: tries again with growing pauses, and recovers at its cursor', async (_name, fault) => {
    ilink.faults.add('getupdates', fault, 4);
    nextPoll();
    const since = at.clock.now();
    await at.passUntil(() => account.state().startsWith('offline:'));
    ilink.say('after the storm');
    await at.received(2);
    expect(at.clock.now() - since).toBeGreaterThan(10_000);
    expect(at.texts).toEqual(['hello', 'after the storm']);
    expect(account.state()).toBe('connected');
  });

  it('does not follow a redirect with the token', async () => {
    ilink.faults.add('getupdates', faults.redirect(`${ilink.cdnBaseUrl}/getupdates`), 2);
    nextPoll();
    await at.passUntil(() => account.state().endsWith(':http_302'));
    expect(ilink.calls.every(({ port }) => port === ilink.apiPort)).toBe(true);
  });
});
