import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { faults, type IlinkSimulator } from '../../../test/simulators/ilink/index.js';
import { never, text, WechatRig } from '../../../test/support/wechat-rig.js';
import type { OutboundPart, TargetSession } from '../target.js';
import { REPLIES_PER_MESSAGE, REPLY_WINDOW_MS } from './conversation.js';
import { SEND_INTERVAL_MS } from './session.js';

let at: WechatRig;
let ilink: IlinkSimulator;

beforeEach(async () => {
  at = await WechatRig.start();
  ({ ilink } = at);
});

afterEach(() => at.stop());

let keys = 0;
const send = (session: TargetSession, part: OutboundPart, key = `key-${++keys}`) =>
  at.passing(session.send(part, key, never));

describe('replying', () => {
  it('sends one item with the newest context token and gives the server id', async () => {
    const { session } = await at.openConversation();
    const receipt = await send(session, text('an answer'));
    expect(ilink.shownTexts).toEqual(['an answer']);
    expect(receipt.messageId).toBe(ilink.phone.shown[0]?.id);
    expect(ilink.callsOf('sendmessage')[0]?.body['msg']).toMatchObject({
      context_token: ilink.phone.contextToken,
      message_state: 2,
    });
  });

  it('keeps the client id over tries of the same part, and gives another to every other', async () => {
    const { session } = await at.openConversation();
    ilink.faults.add('sendmessage', { kind: 'cutBefore' });
    await expect(send(session, text('a'), 'key-a')).rejects.toMatchObject({ effect: 'unknown' });
    await send(session, text('a'), 'key-a');
    await send(session, text('b'), 'key-b');
    const ids = ilink.callsOf('sendmessage').map(({ body }) => (body['msg'] as { client_id: string }).client_id);
    expect(new Set(ids).size).toBe(2);
    expect(ilink.phone.shown.map(({ clientId }) => clientId)).toEqual(ids.slice(-2));
  });

  it('keeps replies apart', async () => {
    const { session } = await at.openConversation();
    await send(session, text('one'));
    const since = at.clock.now();
    await send(session, text('two'));
    expect(at.clock.now() - since).toBeGreaterThanOrEqual(SEND_INTERVAL_MS - 100);
  });

  it('does not call before the person has written (B04)', async () => {
    const { session } = await at.open();
    await expect(send(session, text('hi'))).rejects.toMatchObject({ code: 'reply_window_closed', retryable: false });
    expect(ilink.callsOf('sendmessage')).toHaveLength(0);
  });

  it.each([
    ['ret -2', faults.ret(-2, 'prepare failed'), 'reply_window'],
    ['errcode -2', faults.errcode(-2), 'reply_window'],
    ['ret -2 for arguments', faults.ret(-2, 'invalid arguments'), 'bad_arguments'],
    ['ret as text', { kind: 'answer', body: { ret: '-3' } }, 'bad_recipient'],
    ['a code of next year', faults.ret(-77), 'ret_-77'],
    ['HTTP 403', faults.status(403), 'http_403'],
  ] as const)('tells %s apart, for good, without the words of the server', async (_name, fault, code) => {
    const { session } = await at.openConversation();
    ilink.faults.add('sendmessage', fault);
    await expect(send(session, text('x'))).rejects.toMatchObject({ name: 'TargetRefusal', code, retryable: false });
    expect(ilink.callsOf('sendmessage')).toHaveLength(1);
  });

  it('asks for patience where the network does', async () => {
    const { session } = await at.openConversation();
    ilink.faults.add('sendmessage', faults.status(429));
    await expect(send(session, text('x'))).rejects.toMatchObject({ code: 'rate_limited', retryable: true });
  });

  it.each([
    ['an empty body', { kind: 'garbage', body: '' }],
    ['no JSON', { kind: 'garbage', body: '<html>' }],
    ['a list', { kind: 'garbage', body: '[]' }],
    ['a strange ret', { kind: 'garbage', body: '{"ret":{}}' }],
    ['HTTP 502', faults.status(502)],
    ['a redirect, which is not followed', faults.redirect('https://ilinkai.weixin.qq.com/elsewhere')],
    ['half an answer', { kind: 'truncate' }],
    ['a cut after the effect', { kind: 'cutAfter' }],
    ['silence', { kind: 'hang' }],
  ] as const)('takes %s for neither sent nor refused', async (_name, fault) => {
    const { session } = await at.openConversation();
    ilink.faults.add('sendmessage', fault);
    const sending = at.passing(session.send(text('x'), 'k', never), 1_000);
    await expect(sending).rejects.toMatchObject({ name: 'TransportError', effect: 'unknown' });
    expect(session.replyWindow?.()?.remaining).toBe(REPLIES_PER_MESSAGE - 1);
  });

  it('reads a bare {} as accepted without an id, and warns when that goes on', async () => {
    const account = await at.openConversation();
    ilink.namesMessages = false;
    for (let sent = 1; sent <= 3; sent += 1) {
      expect((await send(account.session, text('x'))).messageId).toBeUndefined();
      expect(account.state()).toBe(sent < 3 ? 'connected' : 'degraded:sent_unconfirmed');
    }
    ilink.namesMessages = true;
    await send(account.session, text('y'));
    expect(account.state()).toBe('connected');
  });
});

describe('the right to reply', () => {
  const remaining = (session: TargetSession) => session.replyWindow?.()?.remaining;

  it('is counted down, ends with the count, and begins anew when the person writes', async () => {
    const { session } = await at.openConversation();
    expect(remaining(session)).toBe(REPLIES_PER_MESSAGE);
    const left = (session.replyWindow?.()?.until ?? 0) - at.clock.now();
    expect(left).toBeLessThanOrEqual(REPLY_WINDOW_MS);
    expect(left).toBeGreaterThan(REPLY_WINDOW_MS - 10_000);
    for (let i = 0; i < REPLIES_PER_MESSAGE; i += 1) await send(session, text(`${i}`));
    expect(remaining(session)).toBe(0);
    await expect(send(session, text('too much'))).rejects.toMatchObject({ code: 'reply_window_closed' });
    expect(ilink.callsOf('sendmessage')).toHaveLength(REPLIES_PER_MESSAGE);
    ilink.say('go on');
    await at.received(2);
    expect(remaining(session)).toBe(REPLIES_PER_MESSAGE);
    await send(session, text('again'));
  });

  it('is told when it begins anew, once the message is on disk, and not when a message comes again', async () => {
    const { session } = await at.open();
    let renewed = 0;
    const end = session.replies?.onRenewed(() => {
      expect(remaining(session)).toBe(REPLIES_PER_MESSAGE);
      expect(at.state('sends_used')).toBe('0');
      renewed += 1;
    });
    const entry = ilink.say('hello');
    await at.received(1);
    await at.passUntil(() => renewed === 1);
    await send(session, text('x'));
    ilink.inbox.push(entry);
    await at.passUntil(() => at.state('cursor') === 'cursor-2-opaque==');
    expect(renewed).toBe(1);
    end?.();
    ilink.say('again');
    await at.received(2);
    expect(renewed).toBe(1);
  });

  it('ends with the day', async () => {
    const { session } = await at.openConversation();
    await at.clock.advance(REPLY_WINDOW_MS);
    await expect(send(session, text('good morning'))).rejects.toMatchObject({ code: 'reply_window_closed' });
  });

  it('ends when the network says so, without a second try', async () => {
    const { session } = await at.openConversation();
    ilink.phone.left = 0;
    await expect(send(session, text('x'))).rejects.toMatchObject({ code: 'reply_window' });
    await expect(send(session, text('y'))).rejects.toMatchObject({ code: 'reply_window_closed' });
    expect(ilink.callsOf('sendmessage')).toHaveLength(1);
  });

  it('does not begin an answer whose end can not follow', async () => {
    const { session } = await at.openConversation();
    for (let i = 0; i < REPLIES_PER_MESSAGE - 1; i += 1) await send(session, text(`${i}`));
    const parts = session.plan({ text: 'word '.repeat(1_000), files: [] });
    await expect(send(session, parts[0]!)).rejects.toMatchObject({
      code: 'reply_window_closed',
      message: expect.stringContaining('1 more'),
    });
    await send(session, text('short'));
  });

  it('is not renewed by a message that comes again, though its newer token counts', async () => {
    const { session } = await at.open();
    const entry = ilink.say('hello');
    await at.received(1);
    await send(session, text('x'));
    ilink.inbox.push({ ...entry, context_token: 'rotated' });
    await at.passUntil(() => at.state('cursor') === 'cursor-2-opaque==');
    expect(remaining(session)).toBe(REPLIES_PER_MESSAGE - 1);
    await send(session, text('y'));
    expect(ilink.callsOf('sendmessage').at(-1)?.body['msg']).toMatchObject({ context_token: 'rotated' });
  });

  it('keeps the newest token when an old batch is given again', async () => {
    const { session } = await at.open();
    const old = ilink.say('old');
    await at.received(1);
    await at.clock.advance(60_000);
    ilink.say('new');
    await at.received(2);
    const newest = ilink.phone.contextToken;
    ilink.inbox.push(old);
    await at.passUntil(() => at.state('cursor') === 'cursor-3-opaque==');
    await send(session, text('x'));
    expect(ilink.callsOf('sendmessage').at(-1)?.body['msg']).toMatchObject({ context_token: newest });
  });

  it('is not hidden by one message from the far future', async () => {
    const { session } = await at.open();
    ilink.inbox.push(ilink.entry([{ type: 1, text_item: { text: 'a' } }], { create_time_ms: 9e15 }));
    await at.received(1);
    ilink.say('b');
    await at.received(2);
    await send(session, text('x'));
    expect(ilink.callsOf('sendmessage').at(-1)?.body['msg']).toMatchObject({ context_token: ilink.phone.contextToken });
  });

  it('stands as it stood after a restart, and lies sealed on the disk', async () => {
    const signedIn = await at.signedIn();
    const { session } = await at.open(signedIn);
    ilink.say('hello');
    await at.received(1);
    await send(session, text('x'));
    await session.close();
    expect(JSON.stringify([...at.rig.intake.stored])).not.toContain(ilink.phone.contextToken);
    await ilink.until(() => ilink.inbox.polling === 0);
    const again = await at.open(signedIn);
    expect(remaining(again.session)).toBe(REPLIES_PER_MESSAGE - 1);
    await send(again.session, text('y'));
    expect(ilink.shownTexts).toEqual(['x', 'y']);
  });

  it('a reply that was sent is not undone by a disk that does not count it', async () => {
    const { session } = await at.openConversation();
    at.rig.intake.failure = new Error('disk');
    await expect(send(session, text('x'))).resolves.toMatchObject({ messageId: expect.any(String) });
    at.rig.intake.failure = undefined;
  });
});

describe('typing', () => {
  it('is shown by a ticket that is fetched once, and taken back', async () => {
    const { session } = await at.openConversation();
    await at.passing(session.typing!.show());
    expect(ilink.phone.isTyping).toBe(true);
    await at.passing(session.typing!.show());
    await at.passing(session.typing!.clear());
    expect(ilink.phone.isTyping).toBe(false);
    expect(ilink.callsOf('getconfig')).toHaveLength(1);
    expect(session.typing!.keepAliveMs).toBe(5_000);
  });

  it('takes itself back with a fresh ticket when the old one was refused', async () => {
    const { session } = await at.openConversation();
    await at.passing(session.typing!.show());
    ilink.faults.add('sendtyping', faults.ret(-1));
    await at.passing(session.typing!.clear());
    expect(ilink.phone.isTyping).toBe(false);
    expect(ilink.callsOf('getconfig')).toHaveLength(2);
  });

  it('asks for nothing before the person has written', async () => {
    const { session } = await at.open();
    await at.passing(session.typing!.show());
    expect(ilink.callsOf('getconfig')).toHaveLength(0);
  });

  it('fails in silence, asks less and less often, and touches no reply', async () => {
    const { session } = await at.openConversation();
    ilink.faults.add('getconfig', faults.ret(-4), 99);
    for (let second = 0; second < 60; second += 1) {
      await at.passing(session.typing!.show());
      await at.clock.advance(1_000);
    }
    expect(ilink.callsOf('getconfig').length).toBeLessThan(8);
    await send(session, text('x'));
    expect(ilink.shownTexts).toEqual(['x']);
  });
});
