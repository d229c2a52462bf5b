import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/deadline.js';
import { ask } from '../support/http-client.js';
import { LocalRig } from '../support/local-rig.js';
import { id, type SpecAgent } from '../support/spec-agent.js';
import { TelegramNetwork } from '../support/telegram-network.js';
import { World } from '../support/world.js';

const RIGS = [
  ['local', () => new LocalRig()],
  ['telegram', () => new TelegramNetwork()],
] as const;

/** Half of an emoji: what a cut at the wrong place leaves behind. */
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

describe.each(RIGS)('the agent answers, over /%s (IM Profile v2 sections 5 to 9)', (name, makeRig) => {
  let world: World;
  let agent: SpecAgent;
  let channel: string;
  beforeAll(async () => {
    world = await World.start(makeRig(), { activity: { timeoutMs: 1_500 } });
    channel = (await world.bound()).channel;
    await world.farewell();
  });
  beforeEach(async () => {
    agent = await world.agent();
    await agent.open(channel);
    await agent.untilStatus(channel, 'connected');
  });
  afterEach(() => world.farewell());
  afterAll(() => world.end());

  const count = async (text: string): Promise<number> =>
    (await world.rig.visible()).filter((shown) => shown === text).length;
  const shown = async (part: string): Promise<readonly string[]> =>
    (await world.rig.visible()).filter((text) => text.includes(part));
  const ackOf = (text: string | undefined, messageId = id('a'), files?: unknown[]) =>
    agent.say(channel, text, { messageId, ...(files === undefined ? {} : { files }) });

  it('7: a final without deltas is visible once and accepted', async () => {
    const text = `final ${id('t')} 👍🏽`;
    const ack = await ackOf(text, 'm_plain');
    expect(ack.payload).toEqual({ message_id: 'm_plain', status: 'accepted' });
    expect('request_id' in ack).toBe(false);
    expect(await count(text)).toBe(1);
  });

  it('7: the same message again is duplicate, without a second effect, also from another connection', async () => {
    const text = `again ${id('t')}`;
    const messageId = id('a');
    await ackOf(text, messageId);
    expect((await ackOf(text, messageId)).payload).toEqual({ message_id: messageId, status: 'duplicate' });
    const other = await world.agent();
    await other.open(channel);
    expect((await other.say(channel, text, { messageId })).payload?.['status']).toBe('duplicate');
    expect(await count(text)).toBe(1);
  });

  it('9: idempotency survives a restart', async () => {
    const text = `restart ${id('t')}`;
    const messageId = id('a');
    await ackOf(text, messageId);
    await world.host.restart();
    await world.rig.attach(world.host);
    const next = await world.agent({ connectorId: agent.connectorId });
    await next.open(channel);
    await next.untilStatus(channel, 'connected');
    expect((await next.say(channel, text, { messageId })).payload?.['status']).toBe('duplicate');
    expect(await count(text)).toBe(1);
  });

  it('R28: the same id with other content is message_id_conflict, for good', async () => {
    const messageId = id('a');
    const text = `original ${id('t')}`;
    await ackOf(text, messageId);
    const conflict = await ackOf(`${text} changed`, messageId);
    expect(conflict.payload).toMatchObject({
      message_id: messageId,
      status: 'rejected',
      code: 'message_id_conflict',
      retryable: false,
    });
    expect(await count(`${text} changed`)).toBe(0);
    expect((await ackOf(text, messageId)).payload?.['status']).toBe('duplicate');
  });

  it('R28: a re-uploaded equal file is the same content, another file is a conflict', async () => {
    const messageId = id('a');
    const item = async (content: string): Promise<unknown[]> => {
      const upload = await agent.files.upload(channel, { filename: 'a.txt', content, contentType: 'text/plain' });
      return [{ type: upload['file_type'], file_ref: upload['file_ref'], filename: 'a.txt' }];
    };
    const text = `with file ${id('t')}`;
    expect((await ackOf(text, messageId, await item('same bytes'))).payload?.['status']).toBe('accepted');
    expect((await ackOf(text, messageId, await item('same bytes'))).payload?.['status']).toBe('duplicate');
    expect((await ackOf(text, messageId, await item('other bytes'))).payload?.['code']).toBe('message_id_conflict');
    expect((await ackOf(text, messageId)).payload?.['code']).toBe('message_id_conflict');
  });

  it('7: what was accepted is duplicate for good: its file expired, then its account signed out', async () => {
    const brief = await World.start(makeRig(), { files: { ttlMs: 1_500 } });
    try {
      const own = await brief.bound();
      const upload = await own.agent.files.upload(own.channel, { filename: 'a.txt', content: 'brief' });
      const fileRef = String(upload['file_ref']);
      const [text, messageId, files] = ['see', id('a'), [{ type: upload['file_type'], file_ref: fileRef }]];
      const say = async () => (await own.agent.say(own.channel, text, { messageId, files })).payload;
      expect(await say()).toEqual({ message_id: messageId, status: 'accepted' });
      const gone = async () => (await ask(`${brief.base}/files/refs/${fileRef}`)).status === 404;
      await eventually(gone, 'the file to expire');
      expect(await say()).toEqual({ message_id: messageId, status: 'duplicate' });
      await brief.signOut(own.agent, own.channel);
      expect(await say()).toEqual({ message_id: messageId, status: 'duplicate' });
      const other = await own.agent.say(own.channel, 'new', { messageId: id('a') });
      expect(other.payload).toMatchObject({
        status: 'rejected',
        code: 'connection_not_authenticated',
        retryable: false,
      });
      await brief.farewell();
    } finally {
      await brief.end();
    }
  });

  it('5: a final of nothing but spaces is rejected for good, for nothing of it could be shown', async () => {
    expect((await ackOf(' \n ')).payload).toMatchObject({
      status: 'rejected',
      code: 'invalid_packet',
      retryable: false,
    });
  });

  it('R26: sent twice while the first runs: one accepted, the other duplicate, one effect', async () => {
    const text = `racing ${id('t')}`;
    const messageId = id('a');
    const acks = await Promise.all([1, 2, 3].map(() => ackOf(text, messageId)));
    expect(acks.map((ack) => ack.payload?.['status']).sort()).toEqual(['accepted', 'duplicate', 'duplicate']);
    expect(await count(text)).toBe(1);
  });

  it('5: order is kept: messages sent without waiting appear in the order they were sent', async () => {
    const tag = id('o');
    const texts = Array.from({ length: 8 }, (_, i) => `${tag} ${i}`);
    await Promise.all(texts.map((text) => ackOf(text)));
    expect(await shown(tag)).toEqual(texts);
  });

  it.each([
    ['neither text nor files', { message_id: 'm_bad' }],
    ['empty text and no files', { message_id: 'm_bad', text: '', files: [] }],
    ['text of another kind', { message_id: 'm_bad', text: 7 }],
    ['files that are no list', { message_id: 'm_bad', text: 'x', files: {} }],
    ['a file without ref', { message_id: 'm_bad', files: [{ type: 'file' }] }],
    ['a file of an unknown type', { message_id: 'm_bad', files: [{ type: 'hologram', file_ref: 'x' }] }],
    [
      'the same ref twice',
      {
        message_id: 'm_bad',
        files: [
          { type: 'file', file_ref: 'x' },
          { type: 'file', file_ref: 'x' },
        ],
      },
    ],
  ])('7, 10: %s is refused for good, without an effect', async (_what, payload) => {
    const before = (await world.rig.visible()).length;
    const from = agent.received.mark;
    const sent = agent.send({ type: 'chat.message', connector_channel_id: channel, payload });
    const answer = await agent.received.next((p) => p.reply_to === sent.packet_id, 'an answer', { from });
    if (answer.type === 'error') expect(answer.error?.code).toBe('invalid_packet');
    else expect(answer.payload).toMatchObject({ status: 'rejected', retryable: false });
    expect((await world.rig.visible()).length).toBe(before);
  });

  it.each(['', undefined, 7, null])('message_id %s is invalid_packet', async (messageId) => {
    const from = agent.received.mark;
    const sent = agent.send({
      type: 'chat.message',
      connector_channel_id: channel,
      payload: { message_id: messageId, text: 'x' },
    });
    const answer = await agent.received.next((p) => p.reply_to === sent.packet_id, 'an answer', { from });
    expect(answer.error?.code).toBe('invalid_packet');
  });

  it('a file that was never uploaded is refused for good; text and files are one unit (section 5)', async () => {
    const text = `unit ${id('t')}`;
    const ack = await ackOf(text, id('a'), [{ type: 'file', file_ref: 'file_never_uploaded_000000000' }]);
    expect(ack.payload).toMatchObject({ status: 'rejected', retryable: false });
    expect(await count(text)).toBe(0);
  });

  it('R50: null for optional fields is the same as none', async () => {
    const text = `nulls ${id('t')}`;
    const from = agent.received.mark;
    const sent = agent.send({
      type: 'chat.message',
      connector_channel_id: channel,
      payload: { message_id: id('a'), text, files: null, created_at: null, extra: { ignored: true } },
    });
    expect((await agent.received.next((p) => p.reply_to === sent.packet_id, 'ack', { from })).payload?.['status']).toBe(
      'accepted',
    );
    expect(await count(text)).toBe(1);
  });

  it('7: a not signed-in channel rejects for good', async () => {
    const fresh = (await agent.open()).channel;
    const ack = await agent.say(fresh, 'x');
    expect(ack.payload).toMatchObject({ status: 'rejected', code: 'connection_not_authenticated', retryable: false });
  });

  describe('deltas (section 6)', () => {
    it("deltas, then the final: one visible copy, the final's text", async () => {
      const tag = id('d');
      const messageId = id('a');
      const pieces = [`${tag} The `, 'current ', 'page ', 'is'];
      pieces.forEach((piece, i) => agent.delta(channel, messageId, i + 1, piece));
      const final = `${pieces.join('')} rather empty.`;
      expect((await ackOf(final, messageId)).payload?.['status']).toBe('accepted');
      await eventually(async () => (await shown(tag)).length === 1, 'one copy');
      expect(await shown(tag)).toEqual([final]);
    });

    it('6: a final that does not continue its deltas wins', async () => {
      const tag = id('d');
      const messageId = id('a');
      agent.delta(channel, messageId, 1, `${tag} nonsense`);
      await agent.settle();
      await ackOf(`${tag} the truth`, messageId);
      expect(await shown(tag)).toEqual([`${tag} the truth`]);
    });

    it('6: a repeated delta is not appended twice', async () => {
      const tag = id('d');
      const messageId = id('a');
      for (const [n, text] of [
        [1, `${tag} one`],
        [1, `${tag} one`],
        [2, ' two'],
        [2, ' two'],
        [1, `${tag} one`],
      ] as const) {
        agent.delta(channel, messageId, n, text);
      }
      const from = agent.received.mark;
      await agent.settle();
      expect(agent.received.since(from).filter((p) => p.type === 'error')).toEqual([]);
      await ackOf(`${tag} one two`, messageId);
      expect(await shown(tag)).toEqual([`${tag} one two`]);
    });

    it.each([
      [
        'a gap',
        [
          [1, 'a'],
          [3, 'c'],
        ],
      ],
      ['not starting at 1', [[2, 'b']]],
      [
        'other text under a known number',
        [
          [1, 'a'],
          [1, 'z'],
        ],
      ],
    ] as const)('R29, 10: %s is delta_sequence_conflict, and the final still works', async (_what, deltas) => {
      const tag = id('d');
      const messageId = id('a');
      const from = agent.received.mark;
      let last = '';
      for (const [n, text] of deltas) last = agent.delta(channel, messageId, n, `${tag}${text}`).packet_id;
      const error = await agent.received.next((p) => p.type === 'error', 'error', { from });
      expect(error.error?.code).toBe('delta_sequence_conflict');
      expect(error.reply_to).toBe(last);
      expect((await ackOf(`${tag} final`, messageId)).payload?.['status']).toBe('accepted');
      expect(await shown(tag)).toEqual([`${tag} final`]);
    });

    it.each([
      ['sequence 0', { sequence: 0, text: 'x' }],
      ['a negative sequence', { sequence: -1, text: 'x' }],
      ['a fraction', { sequence: 1.5, text: 'x' }],
      ['no text', { sequence: 1 }],
      ['no message id', { message_id: '', sequence: 1, text: 'x' }],
    ])('R29: a delta with %s is invalid_packet', async (_what, payload) => {
      const from = agent.received.mark;
      agent.send({
        type: 'chat.message.delta',
        connector_channel_id: channel,
        payload: { message_id: 'm_delta_bad', ...payload },
      });
      expect((await agent.received.next((p) => p.type === 'error', 'error', { from })).error?.code).toBe(
        'invalid_packet',
      );
    });

    it('R30: a delta after its final is ignored without a word', async () => {
      const tag = id('d');
      const messageId = id('a');
      await ackOf(`${tag} final`, messageId);
      const from = agent.received.mark;
      agent.delta(channel, messageId, 1, `${tag} too late`);
      await agent.settle();
      expect(agent.received.since(from).map((p) => p.type)).toEqual(['pong']);
      expect(await shown(tag)).toEqual([`${tag} final`]);
    });

    it('9: deltas without a final leave nothing that a later message would show', async () => {
      const tag = id('d');
      // More than are kept; few where the network's pace of a message a second would be the test.
      const orphans = name === 'local' ? 70 : 3;
      for (let i = 0; i < orphans; i += 1) agent.delta(channel, `${tag}_${i}`, 1, `${tag} orphan`);
      await agent.settle();
      await ackOf(`${tag} real`);
      expect((await shown(tag)).filter((text) => text === `${tag} real`)).toHaveLength(1);
    });
  });

  describe('activity (section 8)', () => {
    it.each([{ status: 'thinking' }, { status: 'tool', tool_name: 'web_search' }])(
      '$status degrades to typing and is not answered',
      async (payload) => {
        await world.rig.sawTyping();
        const from = agent.received.mark;
        agent.activity(channel, payload);
        await eventually(() => world.rig.sawTyping(), 'typing');
        agent.activity(channel, { status: 'idle' });
        await agent.settle();
        expect(agent.received.since(from).map((p) => p.type)).toEqual(['pong']);
      },
    );

    it.each([
      { status: 'dancing' },
      { status: 'tool' },
      { status: 'thinking', tool_name: 'x' },
      { status: 'tool', tool_name: 'x'.repeat(257) },
      { status: 'tool', tool_name: '界'.repeat(100) },
      {},
    ])('R29: bad activity %j rejects and disturbs nothing', async (payload) => {
      const from = agent.received.mark;
      agent.activity(channel, payload);
      await agent.settle();
      expect(agent.received.since(from).map((p) => p.type)).toEqual(['pong']);
      const text = `after bad activity ${id('t')}`;
      expect((await ackOf(text)).payload?.['status']).toBe('accepted');
    });
  });

  it('7.x: a very long text arrives whole, in parts joined to the text, as one accepted message', async () => {
    const tag = id('long');
    const text = `${tag} ${Array.from({ length: 1_500 }, (_, i) => `word${i} 👩🏽‍🚀`).join(' ')}`;
    const before = new Set(await world.rig.visible());
    const ack = await agent.say(channel, text, { ms: 25_000 });
    expect(ack.payload?.['status']).toBe('accepted');
    const parts = (await world.rig.visible()).filter((shown) => !before.has(shown));
    expect(parts.join('')).toBe(text);
    for (const part of parts) expect(part).not.toMatch(LONE_SURROGATE);
  });
});
