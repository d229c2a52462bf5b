import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PERSON, textItem, type IlinkSimulator } from '../../../test/simulators/ilink/index.js';
import { WechatRig } from '../../../test/support/wechat-rig.js';
import { StoreError } from '../../store/store.js';
import { MIN_POLL_INTERVAL_MS } from './receiver.js';

let at: WechatRig;
let ilink: IlinkSimulator;

beforeEach(async () => {
  at = await WechatRig.start();
  ({ ilink } = at);
});

afterEach(() => at.stop());

describe('receiving', () => {
  it('stores messages, cursor and reply right in one step before the next poll', async () => {
    await at.open();
    ilink.say('hello');
    await at.received(1);
    const batch = at.rig.intake.batches.at(-1);
    expect(batch?.messages).toHaveLength(1);
    expect(Object.keys(batch?.state ?? {})).toEqual(expect.arrayContaining(['cursor', 'context_token', 'sends_used']));
    await at.passUntil(() => ilink.inbox.polling === 1);
    expect(ilink.callsOf('getupdates').at(-1)?.body['get_updates_buf']).toBe(batch?.state['cursor']);
  });

  it('hands on the words byte for byte, with who wrote them and when', async () => {
    await at.open();
    const words = '  "message_id":123 \\"svr_id\\": 9 你好 👩🏽‍🚀\n\u200b*x*';
    const entry = ilink.say(words);
    await at.received(1);
    expect(at.rig.intake.received[0]?.message).toMatchObject({
      text: words,
      sender: { id: PERSON },
      conversation: { id: PERSON, type: 'p2p' },
      sentAt: entry['create_time_ms'],
      attachments: [],
    });
  });

  it.each([true, false])('keeps uint64 ids whole, bare numbers: %s', async (bare) => {
    ilink.bareIds = bare;
    await at.open();
    const entry = ilink.say('x');
    await at.received(1);
    expect(BigInt(String(entry['message_id']))).toBeGreaterThan(2n ** 63n);
    expect(at.rig.intake.received[0]?.message.id).toBe(`wx:${String(entry['message_id'])}`);
  });

  it('announces itself once before polling, and says good-bye when it stops', async () => {
    const { session } = await at.open();
    await session.close();
    const order = ilink.calls.map(({ endpoint }) => endpoint).filter((endpoint) => !endpoint.includes('qrcode'));
    expect(order).toEqual(['notifystart', 'getupdates', 'notifystop']);
  });

  it('is connected once the start notice was answered, though an idle server holds the first poll', async () => {
    const account = await at.open();
    expect(account.state()).toBe('connected');
    expect(ilink.inbox.answered).toBe(0);
  });

  it('does without a start notice that is not taken', async () => {
    ilink.faults.add('notifystart', { kind: 'answer', body: { ret: -1 } });
    const account = await at.open();
    expect(account.state()).toBe('offline:connecting');
    ilink.say('hello');
    await at.received(1);
    await at.passUntil(() => account.state() === 'connected');
  });

  it('polls once at a time, whatever happens between', async () => {
    const account = await at.open();
    for (let i = 0; i < 5; i += 1) {
      at.rig.runtime.wake?.();
      await at.passUntil(() => ilink.inbox.polling === 1);
    }
    expect(account.state()).not.toContain('error');
  });

  it('goes on at its cursor after a restart, with nothing twice', async () => {
    const first = await at.openConversation();
    await at.passUntil(() => ilink.inbox.polling === 1);
    await first.session.close();
    await ilink.until(() => ilink.inbox.polling === 0);
    ilink.say('meanwhile');
    at.rig.open('acc_1', firstSignIn());
    await at.received(2);
    expect(at.texts).toEqual(['hello', 'meanwhile']);
  });

  it('keeps a batch that the disk refused, for a server that gives it once (B36)', async () => {
    ilink.inbox.replays = false;
    const account = await at.open();
    at.rig.intake.failure = new StoreError('disk_full', 'No space');
    ilink.say('keep me');
    await at.passUntil(() => account.state() === 'degraded:store_disk_full');
    expect(at.state('cursor')).toBeUndefined();
    at.rig.intake.failure = undefined;
    await at.received(1);
    expect(at.texts).toEqual(['keep me']);
  });

  it('leaves the backlog at the server while there is no room', async () => {
    const account = await at.open();
    let room = (): void => undefined;
    at.rig.intake.room = new Promise((resolve) => (room = resolve));
    ilink.say('first');
    await at.received(1);
    ilink.say('second');
    await at.passUntil(() => account.state() === 'degraded:backlog_full');
    expect(at.texts).toEqual(['first']);
    room();
    await at.received(2);
  });

  it('does not hammer a server that answers at once and brings nothing', async () => {
    await at.open();
    ilink.inbox.holdMs = 0;
    at.rig.runtime.wake?.();
    const polls = ilink.inbox.answered;
    const since = at.clock.now();
    await at.passUntil(() => ilink.inbox.answered >= polls + 5);
    expect(at.clock.now() - since).toBeGreaterThanOrEqual(3 * MIN_POLL_INTERVAL_MS);
    ilink.inbox.holdMs = 35_000;
  });

  it('nor one that moves its cursor with every empty answer', async () => {
    await at.open();
    for (let number = 1; number <= 50; number += 1) {
      const body = { ret: 0, msgs: [], get_updates_buf: `moved-${String(number)}` };
      ilink.faults.add('getupdates', { kind: 'answer', body });
    }
    at.rig.runtime.wake?.();
    const polls = ilink.callsOf('getupdates').length;
    const since = at.clock.now();
    await at.passUntil(() => ilink.callsOf('getupdates').length >= polls + 5);
    expect(at.clock.now() - since).toBeGreaterThanOrEqual(3 * MIN_POLL_INTERVAL_MS);
    ilink.faults.clear();
  });

  it('waits as long as the server says it will hold, and a while longer', async () => {
    ilink.inbox.announcedHoldMs = 60_000;
    ilink.inbox.holdMs = 60_000;
    const account = await at.openConversation();
    await at.passUntil(() => ilink.inbox.polling === 1);
    await at.clock.advance(59_000);
    expect(ilink.inbox.polling).toBe(1);
    expect(account.state()).toBe('connected');
    await at.passUntil(() => ilink.inbox.answered >= 2);
  });
});

describe('the same message again', () => {
  it.each([
    ['its server id', {}],
    ['its client id', { message_id: undefined, client_id: 'c-1' }],
    ['its number', { message_id: undefined, seq: 77 }],
    ['its time and content', { message_id: undefined }],
  ])('is known by %s, whatever context token it brings (B07)', async (_by, more) => {
    await at.open();
    const entry = ilink.entry([textItem('once')], more);
    ilink.inbox.push(entry);
    await at.received(1);
    ilink.inbox.push({ ...entry, context_token: 'another-token' }, ilink.entry([textItem('end')]));
    await at.passUntil(() => at.texts.includes('end'));
    expect(at.texts).toEqual(['once', 'end']);
  });

  it('is known by the ids of its items', async () => {
    await at.open();
    const entry = ilink.entry([textItem('once', { msg_id: '9' }), textItem('two', { msg_id: '8' })], {
      message_id: undefined,
      create_time_ms: undefined,
    });
    ilink.inbox.push(entry, { ...entry, context_token: 'another-token' }, ilink.entry([textItem('end')]));
    await at.passUntil(() => at.texts.includes('end'));
    expect(at.texts).toEqual(['once\ntwo', 'end']);
  });

  it('equal messages without ids are two in one batch, and none when the batch comes again', async () => {
    await at.open();
    const entry = ilink.entry([textItem('ok')], { message_id: undefined });
    ilink.inbox.push(entry, { ...entry });
    await at.received(2);
    ilink.inbox.push(entry, { ...entry }, ilink.entry([textItem('end')]));
    await at.passUntil(() => at.texts.includes('end'));
    expect(at.texts).toEqual(['ok', 'ok', 'end']);
  });

  it('equal words without id and time are two messages when they come one after the other', async () => {
    await at.open();
    const entry = ilink.entry([textItem('ok')], { message_id: undefined, create_time_ms: undefined });
    ilink.inbox.push(entry);
    await at.received(1);
    await at.passUntil(() => ilink.inbox.polling === 1);
    ilink.inbox.push({ ...entry });
    await at.received(2);
  });
});

describe('what is not for the agent', () => {
  it('is ignored and counted under its reason', async () => {
    await at.open();
    ilink.inbox.push(
      ilink.entry([textItem('echo')], { message_type: 2 }),
      ilink.entry([textItem('group')], { group_id: 'g1' }),
      ilink.entry([textItem('stranger')], { from_user_id: 'someone@im.wechat' }),
      ilink.entry([textItem('other case')], { from_user_id: PERSON.toLowerCase() }),
      ilink.entry([textItem('half')], { message_state: 1 }),
      ilink.entry([textItem('gone')], { delete_time_ms: 5 }),
      ilink.entry([]),
      ilink.entry([textItem('odd')], { message_type: 9 }),
      ilink.entry([textItem('mine')]),
    );
    await at.received(1);
    expect(at.texts).toEqual(['mine']);
    expect(at.rig.intake.ignored).toEqual([
      'echo',
      'group',
      'stranger',
      'stranger',
      'unfinished',
      'recalled',
      'empty',
      'unknown_type',
    ]);
  });

  it('a broken entry costs nobody else anything, and the cursor goes on', async () => {
    await at.open();
    const broken = [null, 7, 'text', [], {}, { message_id: {}, item_list: 'x', from_user_id: 5 }];
    ilink.inbox.push(
      ...broken,
      ilink.entry([null, 5, { type: 'x' }, { type: 1, text_item: 'no' }, { type: 1, text_item: { text: 9 } }]),
      ilink.entry([], {
        item_list: textItem('not a list'),
        create_time_ms: 'late',
        seq: {},
      }),
      ilink.entry([{ type: 2, image_item: { media: { full_url: 3, aes_key: [] } } }]),
      ilink.entry([
        { type: 42 },
        textItem('and words', { ref_msg: { svr_id: {}, message_item: [], partial_text: 4 } }),
      ]),
      ilink.entry([textItem('whole')]),
    );
    await at.received(5);
    expect(at.texts).toEqual([
      Array(3).fill('[unreadable WeChat item]').concat(Array(2).fill('[unsupported WeChat item, type 1]')).join('\n'),
      'not a list',
      '[WeChat image without content]',
      '[unsupported WeChat item, type 42]\nand words',
      'whole',
    ]);
    expect(at.rig.intake.ignored).toEqual([...Array(4).fill('unreadable'), 'stranger', 'stranger']);
    await at.passUntil(() => ilink.inbox.polling === 1);
    expect(at.state('cursor')).toBe('cursor-11-opaque==');
  });
});

describe('quotes', () => {
  it('come along as quoted lines', async () => {
    await at.open();
    ilink.send([textItem('agreed', { ref_msg: { message_item: textItem('line one\nline two'), svr_id: 5 } })]);
    await at.received(1);
    expect(at.texts[0]).toBe('> line one\n> line two\nagreed');
  });

  it('named by id alone are looked up among what was said and answered, across a restart', async () => {
    const signedIn = await at.signedIn();
    const { session } = await at.open(signedIn);
    const entry = ilink.say('my question');
    await at.received(1);
    const receipt = await at.passing(
      session.send({ kind: 'text', text: 'our answer' }, 'k', new AbortController().signal),
    );
    await session.close();
    await ilink.until(() => ilink.inbox.polling === 0);
    await at.open(signedIn);
    ilink.send([textItem('a', { ref_msg: { svr_id: entry['message_id'] } })]);
    ilink.send([textItem('b', { ref_msg: { svr_id: receipt.messageId } })]);
    ilink.send([textItem('c', { ref_msg: { svr_id: '404' } })]);
    await at.received(4);
    expect(at.texts.slice(1)).toEqual(['> my question\na', '> our answer\nb', '> […]\nc']);
  });

  it('of a part show that part', async () => {
    await at.open();
    const partial_text = { start: 'two', end: 'three', startindex: 0, endindex: 0 };
    ilink.send([textItem('this', { ref_msg: { message_item: textItem('one two three four'), partial_text } })]);
    await at.received(1);
    expect(at.texts[0]).toBe('> two three\nthis');
  });

  it('are kept unreadable, and damaged ones are let go', async () => {
    const signedIn = await at.signedIn();
    const { session } = await at.open(signedIn);
    ilink.say('a secret plan');
    await at.received(1);
    expect(JSON.stringify([...at.rig.intake.stored])).not.toContain('secret plan');
    await session.close();
    at.rig.intake.stored.set(`wechat/${PERSON} quote.0`, 'damaged');
    await ilink.until(() => ilink.inbox.polling === 0);
    await at.open(signedIn);
  });
});

/** The credentials that the first sign-in of this test brought. */
function firstSignIn() {
  const bot = ilink.logins.bots[0];
  if (!bot) throw new Error('nobody signed in');
  const binding = { botId: bot.botId, userId: PERSON, baseUrl: ilink.apiBaseUrl };
  const credentials = { botToken: bot.token, sealKey: Buffer.alloc(32).toString('base64') };
  return { identity: PERSON, displayName: '', accountHint: '', binding, credentials };
}
