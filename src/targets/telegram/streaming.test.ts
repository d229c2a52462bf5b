import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refusals, type TelegramSimulator } from '../../../test/simulators/telegram/index.js';
import { ADA, GROUP, never, text, TelegramRig } from '../../../test/support/telegram-rig.js';

let at: TelegramRig;
let telegram: TelegramSimulator;

beforeEach(async () => {
  at = await TelegramRig.start();
  ({ telegram } = at);
});

afterEach(() => at.stop());

describe('streaming', () => {
  it('shows a draft in a private chat and leaves one message in the end', async () => {
    const { session } = await at.openChat();
    const stream = session.stream!;
    const opened = await stream.open('Hel', never);
    expect(opened?.visible).toBe(false);
    const update = stream.update(opened!.handle, 'Hello the', never);
    await at.passUntil(() => telegram.world.drafts.length === 2, 500);
    await update;
    const done = stream.finish(opened!.handle, text('Hello there'), 'k', never);
    await at.passUntil(() => telegram.messagesIn(ADA).length === 1, 500);
    await done;
    expect(new Set(telegram.world.drafts.map(({ draftId }) => draftId)).size).toBe(1);
    expect(telegram.textsIn(ADA)).toEqual(['Hello there']);
  });

  it.each([
    ['does not know drafts', refusals.unknownMethod],
    ['says no more than "Not Found"', { kind: 'refuse', error_code: 404, description: 'Not Found' } as const],
    ['answers with a page', { kind: 'garbage', status: 404, body: 'Cannot POST' } as const],
    ['refuses them', refusals.draftRefused],
  ])('edits one message where the server %s, and does not ask again', async (_name, fault) => {
    const { session } = await at.openChat();
    telegram.faults.add('sendMessageDraft', fault, 100);
    const stream = session.stream!;
    const opening = stream.open('Hel', never);
    await at.passUntil(() => telegram.messagesIn(ADA).length === 1, 500);
    const opened = await opening;
    expect(opened?.visible).toBe(true);
    const update = stream.update(opened!.handle, 'Hello the', never);
    await at.passUntil(() => telegram.textsIn(ADA)[0] === 'Hello the', 500);
    await update;
    const done = stream.finish(opened!.handle, text('Hello there'), 'k', never);
    await at.passUntil(() => telegram.textsIn(ADA)[0] === 'Hello there', 500);
    const receipt = await done;
    expect(telegram.textsIn(ADA)).toEqual(['Hello there']);
    expect(receipt.messageId).toBe(String(telegram.messagesIn(ADA)[0]?.messageId));
    const again = stream.open('Next', never);
    await at.passUntil(() => telegram.messagesIn(ADA).length === 2, 500);
    await again;
    expect(telegram.countOf('sendMessageDraft')).toBe(1);
  });

  it('takes "not modified" for done, and has the text sent anew by who can be in doubt about it when the message was deleted', async () => {
    telegram.addGroup(GROUP, 'Team', [{ id: ADA, status: 'creator' }]);
    const { session } = await at.openChat(GROUP);
    const stream = session.stream!;
    expect(stream.minIntervalMs).toBe(3_000);
    const opened = await stream.open('same', never);
    const same = stream.finish(opened!.handle, text('same'), 'k', never);
    await at.passUntil(() => telegram.countOf('editMessageText') === 1, 1_000);
    await same;
    telegram.messagesIn(GROUP)[0]!.deleted = true;
    const gone = stream.finish(opened!.handle, text('same'), 'k', never);
    const refused = expect(gone).rejects.toMatchObject({ code: 'preview_gone', retryable: false });
    await at.passUntil(() => telegram.countOf('editMessageText') === 2, 1_000);
    await refused;
    expect(telegram.countOf('sendMessage')).toBe(1);
  });

  it('takes a streamed text away when the answer begins with a file, sends nothing itself, and may be asked again', async () => {
    telegram.addGroup(GROUP, 'Team', [{ id: ADA, status: 'creator' }]);
    const { session } = await at.openChat(GROUP);
    const file = await at.storedFile('a.pdf', 'application/pdf', Buffer.from('x'));
    const opened = await session.stream!.open('see', never);
    for (let tries = 1; tries <= 2; tries += 1) {
      const done = session.stream!.finish(opened!.handle, { kind: 'file', file, caption: 'see this' }, 'k', never);
      const refused = expect(done).rejects.toMatchObject({ code: 'preview_gone', retryable: false });
      await at.passUntil(() => telegram.countOf('deleteMessage') === tries, 1_000);
      await refused;
    }
    expect(telegram.messagesIn(GROUP)).toEqual([]);
    expect(telegram.countOf('sendDocument')).toBe(0);
  });

  it('ends an update that is abandoned at once, and repeats nothing of it', async () => {
    telegram.addGroup(GROUP, 'Team', [{ id: ADA, status: 'creator' }]);
    const { session } = await at.openChat(GROUP);
    const opened = await session.stream!.open('one', never);
    telegram.faults.add('editMessageText', { kind: 'hang' });
    const abandon = new AbortController();
    const update = session.stream!.update(opened!.handle, 'one two', abandon.signal);
    const settled = expect(update).rejects.toMatchObject({ name: 'TransportError' });
    await at.passUntil(() => telegram.countOf('editMessageText') === 1, 1_000);
    abandon.abort();
    await settled;
    await at.clock.advance(60_000);
    expect(telegram.countOf('editMessageText')).toBe(1);
  });
});
