import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { App, FeishuSimulator } from '../../../test/simulators/feishu/index.js';
import { FeishuRig, never, OWNER, signedInAs, text } from '../../../test/support/feishu-rig.js';
import type { TargetSession } from '../target.js';
import { ASK_AGAIN_AFTER_MS } from './card-stream.js';

const REACT = 'POST im/v1/messages/:/reactions';
const MAKE_CARD = 'POST cardkit/v1/cards';
const REPLACE_CARD = 'PUT cardkit/v1/cards/:';
const GROW = 'PUT cardkit/v1/cards/:/elements/:/content';

let at: FeishuRig;
let feishu: FeishuSimulator;
let session: TargetSession;
let app: App;

beforeEach(async () => {
  at = await FeishuRig.start();
  ({ feishu } = at);
  ({ session, app } = await at.openAccount());
});

afterEach(() => at.stop());

const hear = async (): Promise<string> => {
  const before = at.rig.intake.received.length;
  const id = feishu.say(OWNER, 'hello');
  await at.until(() => at.rig.intake.received.length > before);
  return id;
};

/** What a crash leaves: the network as it is, the disk as it is, and a new session. */
const restart = async (): Promise<TargetSession> => {
  const next = at.rig.open('acc_1', signedInAs(app));
  await at.passUntil(() => next.state() === 'connected');
  return next.session;
};

describe('typing', () => {
  it('is a reaction on what the person wrote last, and goes', async () => {
    await session.typing?.show();
    expect(feishu.countOf(REACT)).toBe(0);
    const messageId = await hear();
    await session.typing?.show();
    await session.typing?.show();
    expect([...feishu.world.reactions.values()]).toMatchObject([{ messageId, emoji: 'Typing' }]);
    expect(feishu.countOf(REACT)).toBe(1);
    await session.typing?.clear();
    expect(feishu.world.reactions.size).toBe(0);
  });

  it('moves to a newer message', async () => {
    await hear();
    await session.typing?.show();
    const messageId = await hear();
    await session.typing?.show();
    expect([...feishu.world.reactions.values()]).toMatchObject([{ messageId }]);
  });

  it('that was still being put there when it was no longer wanted goes as well', async () => {
    await hear();
    const shown = session.typing?.show();
    await session.typing?.clear();
    await shown;
    expect(feishu.world.reactions.size).toBe(0);
  });

  it('goes with the session', async () => {
    await hear();
    await session.typing?.show();
    await session.close();
    expect(feishu.world.reacted).toHaveLength(1);
    expect(feishu.world.reactions.size).toBe(0);
  });

  it('left behind by a crash goes at the next start, also when its id never came back', async () => {
    await hear();
    feishu.fail(REACT, { kind: 'cutAfter' });
    await session.typing?.show();
    expect(feishu.world.reactions.size).toBe(1);
    await restart();
    await at.until(() => feishu.world.reactions.size === 0);
  });

  it('whose end was not heard is ended later', async () => {
    await hear();
    await session.typing?.show();
    feishu.fail('DELETE im/v1/messages/:/reactions/:', { kind: 'cutBefore' });
    await session.typing?.clear();
    expect(feishu.world.reactions.size).toBe(1);
    await session.typing?.clear();
    expect(feishu.world.reactions.size).toBe(0);
  });

  it('does not ask again where the app may not react, nor touch anything else', async () => {
    await hear();
    feishu.fail(REACT, { kind: 'refuse', code: 99991672 });
    await session.typing?.show();
    await session.typing?.show();
    expect(feishu.countOf(REACT)).toBe(1);
    await at.settled(session.send(text('works'), 'k', never));
    expect(feishu.world.visible()).toEqual(['works']);
  });
});

describe('an answer that grows', () => {
  const open = async (words: string): Promise<string> => {
    const opened = await at.settled(session.stream!.open(words, never));
    expect(opened?.visible).toBe(true);
    return opened!.handle;
  };

  it('is one card that ends as the answer', async () => {
    const handle = await open('Hel');
    await session.stream!.update(handle, 'Hello the', never);
    const receipt = await session.stream!.finish(handle, text('Hello there'), 'k', never);
    expect(feishu.world.visible()).toEqual(['Hello there']);
    expect(receipt.messageId).toBe(feishu.world.messages[0]?.messageId);
    const [card] = [...feishu.world.cards.values()];
    expect(card).toMatchObject({ isStreaming: false, texts: ['Hel', 'Hello the', 'Hello there'] });
  });

  it('may be finished after a restart, however many changes were made before', async () => {
    const handle = await open('one');
    for (let n = 0; n < 5; n += 1) await session.stream!.update(handle, `one ${n}`, never);
    await at.clock.advance(1_000);
    const next = await restart();
    await next.stream!.finish(handle, text('done'), 'k', never);
    expect(feishu.world.visible()).toEqual(['done']);
  });

  it('is finished in its place when Feishu has ended the streaming meanwhile', async () => {
    const handle = await open('one');
    for (const card of feishu.world.cards.values()) card.isStreaming = false;
    await expect(session.stream!.update(handle, 'two', never)).rejects.toMatchObject({
      code: 'card_closed',
      retryable: false,
    });
    await session.stream!.finish(handle, text('three'), 'k', never);
    expect(feishu.world.visible()).toEqual(['three']);
  });

  it('may be finished again when that was not heard', async () => {
    const handle = await open('one');
    feishu.fail(REPLACE_CARD, { kind: 'cutAfter' });
    const first = session.stream!.finish(handle, text('two'), 'k', never);
    await expect(first).rejects.toMatchObject({ name: 'TransportError', effect: 'none' });
    await session.stream!.finish(handle, text('two'), 'k', never);
    expect(feishu.world.visible()).toEqual(['two']);
  });

  it('makes way where it can not become the answer, and leaves the sending to who can be in doubt about it', async () => {
    const handle = await open('one');
    feishu.fail(REPLACE_CARD, { kind: 'refuse', code: 300305 });
    const gone = { code: 'preview_gone', retryable: false };
    await expect(at.settled(session.stream!.finish(handle, text('two'), 'k', never))).rejects.toMatchObject(gone);
    expect(feishu.world.visible()).toEqual([]);
    const other = await open('three');
    const file = await at.storedFile('a.pdf', 'application/pdf', Buffer.from('x'));
    const part = { kind: 'file', file } as const;
    await expect(at.settled(session.stream!.finish(other, part, 'k2', never))).rejects.toMatchObject(gone);
    expect(feishu.world.visible()).toEqual([]);
  });

  it('is shown once when the card’s sending was not heard', async () => {
    feishu.fail('POST im/v1/messages', { kind: 'cutAfter' });
    await open('one');
    expect(feishu.world.visible()).toEqual(['one']);
  });

  it('is shown when it is complete where the app may not make cards, and that is remembered for a day', async () => {
    feishu.fail(MAKE_CARD, { kind: 'refuse', code: 99991672 });
    expect(await session.stream!.open('one', never)).toBeUndefined();
    const next = await restart();
    expect(await next.stream!.open('two', never)).toBeUndefined();
    expect(feishu.countOf(MAKE_CARD)).toBe(1);
    await at.clock.advance(ASK_AGAIN_AFTER_MS);
    await open('three');
  });

  it('beyond what a card holds is cut, whatever it is made of', async () => {
    const handle = await open('a'.repeat(9_000));
    await session.stream!.update(handle, '"'.repeat(9_000), never);
    await session.stream!.update(handle, '汉'.repeat(9_000), never);
    await session.stream!.update(handle, '\u0001'.repeat(9_000), never);
    expect(feishu.countOf(GROW)).toBe(3);
    const [card] = [...feishu.world.cards.values()];
    expect(card?.texts.map((shown) => shown.length)).toEqual([8_000, 6_000, 8_000, 3_428]);
  });

  it('has every first part of a message fit into its place', async () => {
    for (const words of ['x'.repeat(20_000), '汉👩‍👩‍👧'.repeat(4_000), '"\\\n'.repeat(8_000)]) {
      const [first] = session.plan({ text: words, files: [] });
      const handle = await open('…');
      await session.stream!.finish(handle, first!, `k${words.length}`, never);
      expect(feishu.world.visible().at(-1)).toBe(first?.kind === 'text' ? first.text : undefined);
    }
  });
});
