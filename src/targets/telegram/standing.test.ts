import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refusals, type TelegramSimulator } from '../../../test/simulators/telegram/index.js';
import { settle } from '../../../test/support/manual-clock.js';
import type { TargetRig } from '../../../test/support/target-rig.js';
import { ADA, FLOW, TOKEN, TelegramRig } from '../../../test/support/telegram-rig.js';
import { sleep } from '../../base/clock.js';

let at: TelegramRig;
let telegram: TelegramSimulator;
let rig: TargetRig;

beforeEach(async () => {
  at = await TelegramRig.start();
  ({ telegram, rig } = at);
});

afterEach(() => at.stop());

describe('standing', () => {
  it('is connected after a completed poll, and offline when the network has gone', async () => {
    const account = await at.openChat();
    await at.passUntil(() => account.state() === 'connected', 5_000);
    expect(account.session.lastRoundTripAt).toBeDefined();
    telegram.faults.add('getUpdates', { kind: 'cutBefore' }, 50);
    telegram.say(ADA, 'ends the poll');
    await at.passUntil(() => account.state() === 'offline:connection_lost', 500);
    telegram.faults.clear();
    await at.passUntil(() => account.state() === 'connected', 5_000);
  });

  it('is connected in a quiet chat without waiting for the first long poll to end', async () => {
    const account = await at.openChat();
    await telegram.until(() => account.state() === 'connected');
    await telegram.until(() => telegram.updates.polling);
    expect(telegram.countOf('getUpdates')).toBe(2);
  });

  it('recovers from two conflicts, waiting longer than the other poll lasts', async () => {
    const account = await at.openChat();
    telegram.updates.takeOver();
    await telegram.until(() => account.state() === 'degraded:conflict');
    const calls = telegram.countOf('getUpdates');
    await at.clock.advance(35_000);
    expect(telegram.countOf('getUpdates')).toBe(calls);
    await at.clock.advance(10_000);
    await telegram.until(() => telegram.updates.polling);
    telegram.say(ADA, 'back again');
    await telegram.until(() => rig.intake.received.length === 1);
    expect(account.state()).toBe('connected');
  });

  it('says taken over after three conflicts and asks at most once a minute after ten', async () => {
    const account = await at.openChat();
    telegram.faults.add('getUpdates', refusals.conflict, 1_000);
    telegram.updates.takeOver();
    await at.passUntil(() => account.state() === 'offline:taken_over', 10_000);
    await at.passUntil(() => telegram.countOf('getUpdates') >= 12, 10_000);
    await settle();
    const before = telegram.countOf('getUpdates');
    for (let i = 0; i < 30; i += 1) {
      await at.clock.advance(10_000);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(telegram.countOf('getUpdates') - before).toBeLessThanOrEqual(5);
    expect(telegram.countOf('getUpdates') - before).toBeGreaterThan(1);
  });

  describe('with another program that goes on polling', () => {
    let ended: AbortController;

    beforeEach(() => (ended = new AbortController()));
    afterEach(() => ended.abort(new Error('ended')));

    /** It polls again three seconds after each poll of it that ours has ended. */
    async function rival(): Promise<void> {
      while (!ended.signal.aborted) {
        await telegram.updates.poll({ offset: undefined, limit: 1, timeoutS: 30 }, () => undefined);
        await sleep(at.clock, 3_000, ended.signal).catch(() => undefined);
      }
    }

    it('says taken over though polls of ours go through between, and never connected from then on', async () => {
      const account = await at.openChat();
      void rival();
      await at.passUntil(() => account.state() === 'offline:taken_over', 1_000);
      const before = account.states.length;
      await at.passUntil(() => account.states.length >= before + 6, 1_000);
      const states = account.states.slice(before).map((state) => [state.status, 'code' in state ? state.code : '']);
      expect(states.every(([, code]) => code === 'taken_over')).toBe(true);
      expect(states.map(([status]) => status)).toContain('degraded');
      expect(new Set(account.states.slice(before).map(({ since }) => since)).size).toBe(1);
    });

    it('is connected again three minutes after it has gone', async () => {
      const account = await at.openChat();
      void rival();
      await at.passUntil(() => account.state() === 'offline:taken_over', 1_000);
      ended.abort(new Error('ended'));
      await at.passUntil(() => account.state() === 'degraded:taken_over', 1_000);
      await at.passUntil(() => account.state() === 'connected', 1_000);
    });
  });

  it.each([0, -1, 'soon', null])('waits a while when it is told to wait %s seconds', async (seconds) => {
    const account = await at.openChat();
    const limited = { ...refusals.tooMany(1), parameters: { retry_after: seconds } };
    telegram.faults.add('getUpdates', limited, 100);
    telegram.say(ADA, 'ends the poll');
    await at.passUntil(() => account.state() === 'degraded:rate_limited');
    const before = telegram.countOf('getUpdates');
    await at.clock.advance(4_000);
    await settle();
    expect(telegram.countOf('getUpdates')).toBe(before);
  });

  it('does not hammer a server that holds no polls', async () => {
    const account = await at.openChat();
    await telegram.until(() => account.state() === 'connected');
    telegram.updates.poll = async () => [];
    await at.clock.advance(30_000);
    await settle();
    const before = telegram.countOf('getUpdates');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(telegram.countOf('getUpdates')).toBe(before);
    await at.passUntil(() => telegram.countOf('getUpdates') >= before + 3, 250);
    expect(account.state()).toBe('connected');
  });

  it('shows a webhook and leaves it alone', async () => {
    const account = await at.openChat();
    telegram.webhook = 'https://example.org/hook';
    telegram.say(ADA, 'ends the poll');
    await at.passUntil(() => account.state() === 'offline:webhook_active');
    expect(telegram.countOf('deleteWebhook')).toBe(0);
    telegram.webhook = '';
    await at.passUntil(() => account.state() === 'connected', 10_000);
  });

  it('stops for good when the token is revoked', async () => {
    const account = await at.openChat();
    telegram.faults.add('getUpdates', refusals.unauthorized, 100);
    telegram.say(ADA, 'ends the poll');
    await at.passUntil(() => account.state() === 'revoked:token_revoked');
    const calls = telegram.countOf('getUpdates');
    await at.clock.advance(3_600_000);
    await settle();
    expect(telegram.countOf('getUpdates')).toBe(calls);
  });

  it.each([401, 403, 404])('takes a %i of a gateway for a bad line, not for Telegram', async (status) => {
    const account = await at.openChat();
    telegram.faults.add('getUpdates', { kind: 'garbage', status, body: '<html>gone</html>' }, 2);
    telegram.say(ADA, 'ends the poll');
    await at.passUntil(() => account.state() === 'offline:bad_answer', 500);
    await at.passUntil(() => account.state() === 'connected', 5_000);
    expect(account.states.map(({ status: each }) => each)).not.toContain('revoked');
  });

  it('forgets a bot that no account uses any more', async () => {
    const account = await at.openChat();
    await telegram.until(() => account.session.lastRoundTripAt !== undefined);
    await account.session.close();
    telegram.faults.add('getUpdates', { kind: 'hang' });
    const again = rig.open('acc_1', await rig.signIn(FLOW, { bot_token: TOKEN, chat_id: String(ADA) }).done);
    expect(again.session.lastRoundTripAt).toBeUndefined();
  });

  it('is offline while the person blocks the bot', async () => {
    const account = await at.openChat();
    telegram.setBlocked(ADA, true);
    await telegram.until(() => account.state() === 'offline:blocked');
    telegram.setBlocked(ADA, false);
    await telegram.until(() => account.state() === 'connected');
  });

  it('is offline after a restart too while the person blocks the bot, and asks whether they still do', async () => {
    const account = await at.openChat();
    telegram.setBlocked(ADA, true);
    await telegram.until(() => account.state() === 'offline:blocked');
    await account.session.close();
    telegram.faults.add('sendChatAction', refusals.blocked);
    const again = await at.openChat();
    await telegram.until(() => telegram.countOf('sendChatAction') === 1);
    await settle();
    expect(again.states.map(({ status }) => status)).not.toContain('connected');
    expect(again.state()).toBe('offline:blocked');
    await again.session.close();
    const last = await at.openChat();
    await telegram.until(() => last.state() === 'connected');
    expect(rig.intake.state('telegram/4242', `blocked/${String(ADA)}`)).toBeUndefined();
  });

  it('abandons a hanging poll when the machine wakes and polls at once', async () => {
    await at.openChat();
    const calls = telegram.countOf('getUpdates');
    rig.runtime.wake!();
    await telegram.until(() => telegram.countOf('getUpdates') === calls + 1 && telegram.updates.polling);
    telegram.say(ADA, 'good morning');
    await telegram.until(() => rig.intake.received.length === 1);
  });
});
