import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { botIdOf, type FeishuSimulator } from '../../../test/simulators/feishu/index.js';
import { FeishuRig, OWNER, signedInAs, STRANGER } from '../../../test/support/feishu-rig.js';
import { StoreError } from '../../store/index.js';
import { STALE_AFTER_MS } from '../supervisor.js';
import { ROOM_PATIENCE_MS, SILENCE_LIMIT_MS } from './line.js';
import { PING_RULES, type PingRules } from './ping-pace.js';

let at: FeishuRig;
let feishu: FeishuSimulator;

beforeEach(async () => {
  at = await FeishuRig.start();
  ({ feishu } = at);
});

afterEach(() => at.stop());

const texts = (): string[] => at.rig.intake.textsOf('acc_1');
const ackCodes = (): number[] => feishu.push.acks.map(({ code }) => code);

describe('what the owner writes', () => {
  it('arrives byte for byte, also in fragments, and is acknowledged once it is on disk', async () => {
    await at.openAccount();
    const words = '  你好 👩‍👩‍👧‍👦\n\n"quoted" \\ <b>&amp;</b>  ';
    feishu.say(OWNER, words, { fragments: 3 });
    await at.until(() => feishu.push.acks.length === 1);
    expect(texts()).toEqual([words]);
    expect(ackCodes()).toEqual([200]);
    expect(at.rig.intake.received[0]?.message).toMatchObject({
      sender: { id: OWNER },
      conversation: { id: `oc_${OWNER}`, type: 'p2p' },
    });
  });

  it('is one message, however often it is delivered and however it is numbered', async () => {
    feishu.push.heedsAcks = false;
    await at.openAccount();
    feishu.say(OWNER, 'once', { messageId: 'om_1', eventId: 'ev_1' });
    for (const [index, wait] of [15_000, 285_000, 3_300_000, 18_000_000].entries()) {
      await at.until(() => feishu.push.acks.length === index + 1);
      // The line reconnects meanwhile, as the simulated server's pings come in real time only.
      await at.clock.advance(wait);
      await at.passUntil(() => feishu.push.open === 1, 1_000);
    }
    await at.until(() => feishu.push.acks.length === 5);
    expect(texts()).toEqual(['once']);
  });

  it('comes again when the disk refuses it, and then goes through', async () => {
    await at.openAccount();
    at.rig.intake.failure = new StoreError('disk_full', 'no space');
    feishu.say(OWNER, 'keep me');
    await at.until(() => feishu.push.acks.length === 1);
    expect(ackCodes()).toEqual([500]);
    at.rig.intake.failure = undefined;
    await at.clock.advance(15_000);
    await at.until(() => feishu.push.acks.length === 2);
    expect(ackCodes()).toEqual([500, 200]);
    expect(texts()).toEqual(['keep me']);
  });

  it('is left with Feishu while too many messages wait for the agent', async () => {
    await at.openAccount();
    at.rig.intake.room = new Promise(() => undefined);
    feishu.say(OWNER, 'later');
    await at.passUntil(() => feishu.push.acks.length === 1, ROOM_PATIENCE_MS / 4);
    expect(ackCodes()).toEqual([500]);
    at.rig.intake.room = Promise.resolve();
    await at.clock.advance(15_000);
    await at.until(() => texts().length === 1);
  });
});

describe('what others write', () => {
  it('is counted, acknowledged and not taken', async () => {
    await at.openAccount();
    feishu.say(STRANGER, 'let me in');
    feishu.say(OWNER, 'in a group', { chatType: 'group' });
    feishu.say(OWNER, 'of another app', { senderType: 'app' });
    await at.until(() => feishu.push.acks.length === 3);
    expect(texts()).toEqual([]);
    expect(at.rig.intake.ignored).toEqual(['stranger', 'group', 'not_a_person']);
    expect(ackCodes()).toEqual([200, 200, 200]);
  });
});

describe('groups, where they are switched on', () => {
  beforeEach(async () => {
    await at.stop();
    at = await FeishuRig.start({ groups: 'ownerMentions' });
    ({ feishu } = at);
  });

  it('bring what the owner says to the bot, and nothing else', async () => {
    const { app } = await at.openAccount();
    const bot = { key: '@_user_1', openId: botIdOf(app.appId), name: 'Bot' };
    const kim = { key: '@_user_2', openId: 'ou_kim', name: 'Kim' };
    feishu.say(OWNER, '@_user_1 ask @_user_2', { chatType: 'group', mentions: [bot, kim] });
    feishu.say(OWNER, 'hello @_user_2', { chatType: 'group', mentions: [kim] });
    feishu.say(STRANGER, '@_user_1 hi', { chatType: 'group', mentions: [bot] });
    await at.until(() => feishu.push.acks.length === 3);
    expect(texts()).toEqual(['ask @Kim']);
    expect(at.rig.intake.received[0]?.message.conversation.type).toBe('group');
    expect(at.rig.intake.ignored).toEqual(['not_addressed', 'stranger']);
  });
});

describe('the line', () => {
  it('says connected only after the connection stands', async () => {
    const { states } = await at.openAccount();
    expect(states[0]).toMatchObject({ status: 'offline', code: 'connecting' });
    expect(feishu.push.open).toBe(1);
  });

  it('comes back by itself each time it breaks, and brings what was written meanwhile', async () => {
    const account = await at.openAccount();
    for (let round = 1; round <= 3; round += 1) {
      feishu.push.cut();
      await at.until(() => account.state() === 'degraded:connection_lost');
      feishu.say(OWNER, `round ${round}`);
      await at.passUntil(() => texts().length === round, 500);
      expect(feishu.push.connections).toBe(round + 1);
    }
    expect(account.state()).toBe('connected');
  });

  it('tries on without limit while Feishu refuses for a time, in words that end the SDK', async () => {
    const app = feishu.addApp(OWNER);
    feishu.endpointCode = 1000040350;
    const account = at.rig.open('acc_1', signedInAs(app));
    await at.passUntil(() => feishu.countOf('POST callback/ws/endpoint') >= 8, 5_000);
    expect(account.state()).toBe('offline:too_many_connections');
    feishu.endpointCode = 0;
    await at.passUntil(() => account.state() === 'connected', 5_000);
  });

  it.each([
    ['with data', false],
    ['bare', true],
  ])('ends as revoked when the credentials are no longer taken (514 %s)', async (_name, isBare) => {
    const app = feishu.addApp(OWNER);
    feishu.endpointCode = 514;
    feishu.endpointBare = isBare;
    const account = at.rig.open('acc_1', signedInAs(app));
    await at.passUntil(() => account.state() === 'revoked:token_revoked', 1_000);
    const asked = feishu.countOf('POST callback/ws/endpoint');
    await at.clock.advance(3_600_000);
    expect(feishu.countOf('POST callback/ws/endpoint')).toBe(asked);
  });

  it('ends as revoked when the app is gone', async () => {
    const app = feishu.addApp(OWNER);
    feishu.apps.clear();
    const account = at.rig.open('acc_1', signedInAs(app));
    await at.passUntil(() => account.state() === 'revoked:token_revoked', 100);
  });

  it('is replaced when nothing comes any more, before it could look healthy for too long', async () => {
    expect(SILENCE_LIMIT_MS).toBeLessThan(STALE_AFTER_MS);
    const account = await at.openAccount();
    feishu.push.answersPings = false;
    await at.clock.advance(SILENCE_LIMIT_MS - 1);
    expect(feishu.push.connections).toBe(1);
    expect(account.state()).toBe('connected');
    await at.clock.advance(1);
    await at.until(() => account.state() !== 'connected');
    await at.passUntil(() => feishu.push.connections === 2 && account.state() === 'connected', 500);
    expect(feishu.push.open).toBe(1);
  });

  it('that is woken takes a fresh connection at once', async () => {
    await at.openAccount();
    at.rig.runtime.wake?.();
    await at.passUntil(() => feishu.push.connections === 2);
  });

  it('closes also while a connection is still being made', async () => {
    feishu.push.answersHandshakes = false;
    const { session } = at.rig.open('acc_1', signedInAs(feishu.addApp(OWNER)));
    await at.passUntil(() => feishu.push.unanswered.length === 1);
    let isClosed = false;
    void session.close().then(() => (isClosed = true));
    await at.until(() => isClosed);
  });

  it('closes without leaving a connection behind', async () => {
    const { session } = await at.openAccount();
    await session.close();
    await at.until(() => feishu.push.open === 0);
    await at.clock.advance(3_600_000);
    expect(feishu.push.connections).toBe(1);
  });
});

describe('pings, in real time', () => {
  /** @param ping how often at least, and how patiently, we ask; @param announcedS how often the server says */
  const restart = async (ping: Partial<PingRules>, announcedS: number): Promise<void> => {
    await at.stop();
    at = await FeishuRig.start({ ping });
    ({ feishu } = at);
    feishu.push.pingIntervalS = announcedS;
  };

  it('are life: a line that carries nothing else for two hours is never replaced', async () => {
    await restart({ timeoutS: 10 }, 0.1);
    const account = await at.openAccount();
    for (let seconds = 0; seconds < 7_200; seconds += 120) {
      await at.clock.advance(120_000);
      await at.until(() => account.session.lastRoundTripAt === at.clock.now());
    }
    expect(feishu.push.connections).toBe(1);
    expect(account.state()).toBe('connected');
  }, 60_000);

  it('that are not answered break the line within the time the SDK was given', async () => {
    await restart({ timeoutS: 1 }, 2);
    const account = await at.openAccount();
    feishu.push.answersPings = false;
    await at.until(() => account.state() === 'degraded:connection_lost');
    await at.passUntil(() => feishu.push.connections === 2, 500);
  });

  it.each([
    ['two minutes', 120],
    ['nothing that makes sense', 0],
  ])('are ours to pace: a dead line is found within a minute though the server announces %s', async (_, announcedS) => {
    expect(PING_RULES.intervalS + PING_RULES.timeoutS).toBeLessThanOrEqual(60);
    await restart({ intervalS: 0.3, timeoutS: 0.2 }, announcedS);
    const account = await at.openAccount();
    // The first answer names the server's interval again.
    await at.until(() => feishu.push.pings >= 2);
    feishu.push.answersPings = false;
    await at.until(() => account.state() === 'degraded:connection_lost');
    await at.passUntil(() => feishu.push.connections === 2, 500);
  });
});
