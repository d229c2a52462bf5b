import { expect, test } from 'vitest';
import { account, put, say, setUp, signal } from '../../../test/support/local-chat-rig.js';
import { KEPT_MESSAGES } from './transcript.js';

test('the transcript keeps the newest messages, in order, over restarts', async () => {
  const { runtime, chat, intake } = setUp();
  const session = runtime.open(account());
  for (let index = 0; index < KEPT_MESSAGES + 5; index += 1) {
    await say(intake, session, `${index}`, `k${index}`);
  }
  const kept = chat.read('acc_1', 0).messages.map(({ text }) => text);
  expect(kept).toHaveLength(KEPT_MESSAGES);
  expect(kept[0]).toBe('5');

  const restarted = setUp(intake);
  restarted.runtime.open(account());
  expect(restarted.chat.read('acc_1', 0).messages.map(({ text }) => text)).toEqual(kept);
});

test('a window that read the chat before a restart sees what comes after it', async () => {
  const { runtime, chat, intake, clock } = setUp();
  const { stream } = runtime.open(account());
  const opened = await stream!.open('He', signal);
  for (let update = 0; update < 9; update += 1) await stream!.update(opened!.handle, `Hello ${update}`, signal);
  await put(intake, stream!.finish(opened!.handle, { kind: 'text', text: 'Hello.' }, 'k', signal));
  const { cursor } = chat.read('acc_1', 0);

  await clock.advance(1_000);
  const restarted = setUp(intake, clock);
  const session = restarted.runtime.open(account());
  await say(intake, session, 'after the restart', 'k2');
  const seen = restarted.chat.read('acc_1', cursor);
  expect(seen.messages.map(({ text }) => text)).toEqual(['Hello.', 'after the restart']);
  expect(restarted.chat.read('acc_1', seen.cursor).messages).toEqual([]);
});

test('a repeat is safe as long as its key is kept, and the session says how long that is', async () => {
  const { runtime, clock, intake } = setUp();
  const session = runtime.open(account());
  for (let index = 0; index < KEPT_MESSAGES; index += 1) {
    await say(intake, session, `${index}`, `k${index}`);
    await clock.advance(1_000);
  }
  expect(session).toMatchObject({ idempotentSends: true, idempotentForMs: undefined });
  await say(intake, session, 'one more', 'more');
  // The oldest that is kept is the second, whose key still stops a repeat.
  expect(session.idempotentForMs).toBe((KEPT_MESSAGES - 1) * 1_000);
  const restarted = setUp(intake, clock).runtime.open(account());
  expect(restarted.idempotentForMs).toBe((KEPT_MESSAGES - 1) * 1_000);
  expect(await say(intake, restarted, '1', 'k1')).toBe(await say(intake, session, '1', 'k1'));
});

test('signing out erases the chat', async () => {
  const { runtime, intake } = setUp();
  const session = runtime.open(account());
  await say(intake, session, 'secret', 'k');
  await session.close();
  await runtime.signOut!(account());
  expect(intake.values.size).toBe(0);
});
