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

test('messages that could not be written take no place: after a restart the newest are there', async () => {
  const { runtime, chat, intake } = setUp();
  const session = runtime.open(account());
  for (let index = 0; index < KEPT_MESSAGES; index += 1) await say(intake, session, `${index}`, `k${index}`);
  intake.broken = true;
  for (let index = 1; index < KEPT_MESSAGES; index += 1) {
    await expect(say(intake, session, 'refused', `r${index}`)).rejects.toThrow('disk full');
    await expect(chat.send('acc_1', { text: 'refused too' })).rejects.toThrow('disk full');
  }
  intake.broken = false;
  await say(intake, session, 'after it', 'after');
  await chat.send('acc_1', { text: 'mine' });
  const shown = chat.read('acc_1', 0).messages.map(({ text }) => text);
  expect(shown.slice(-3)).toEqual([`${KEPT_MESSAGES - 1}`, 'after it', 'mine']);

  const restarted = setUp(intake);
  restarted.runtime.open(account());
  expect(restarted.chat.read('acc_1', 0).messages.map(({ text }) => text)).toEqual(shown);
});

test('a message that could not be written gives its place back while others are under way', async () => {
  const { runtime, chat, intake } = setUp();
  const session = runtime.open(account());
  const [first, second] = await Promise.all(
    ['a', 'b'].map((text) => session.send({ kind: 'text', text }, text, signal)),
  );
  first!.write!.failed();
  await put(intake, Promise.resolve(second!));
  await say(intake, session, 'c', 'c');
  expect(chat.read('acc_1', 0).messages.map(({ text }) => text)).toEqual(['b', 'c']);
  const restarted = setUp(intake);
  restarted.runtime.open(account());
  expect(restarted.chat.read('acc_1', 0).messages.map(({ text }) => text)).toEqual(['b', 'c']);
});

test('the end of the oldest message is not written over the one that takes its place', async () => {
  const { runtime, chat, intake } = setUp();
  const session = runtime.open(account());
  const oldest = await chat.send('acc_1', { text: 'oldest' });
  for (let index = 1; index < KEPT_MESSAGES; index += 1) await say(intake, session, `${index}`, `k${index}`);
  const newest = await session.send({ kind: 'text', text: 'newest' }, 'newest', signal);
  const written = put(intake, Promise.resolve(newest));
  await Promise.resolve();
  session.settled!(oldest.messageId, 'expired');
  await written;
  const shown = chat.read('acc_1', 0).messages.map(({ text }) => text);
  expect(shown.slice(-1)).toEqual(['newest']);

  const restarted = setUp(intake);
  restarted.runtime.open(account());
  expect(restarted.chat.read('acc_1', 0).messages.map(({ text }) => text)).toEqual(shown);
});

test('signing out erases the chat', async () => {
  const { runtime, intake } = setUp();
  const session = runtime.open(account());
  await say(intake, session, 'secret', 'k');
  await session.close();
  await runtime.signOut!(account());
  expect(intake.values.size).toBe(0);
});
