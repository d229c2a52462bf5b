import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { account, attempt, put, say, setUp, signal } from '../../../test/support/local-chat-rig.js';
import { settle } from '../../../test/support/manual-clock.js';
import type { BindingState } from '../target.js';
import type { LocalChat } from './index.js';

/** Somebody writes while there is no room, until there is. */
function sendWithoutRoom(
  chat: LocalChat,
  intake: ReturnType<typeof setUp>['intake'],
): { readonly sending: Promise<unknown>; readonly makeRoom: () => void } {
  let makeRoom: () => void = () => undefined;
  intake.roomFor = () => new Promise((resolve) => (makeRoom = resolve));
  return { sending: chat.send('acc_1', { text: 'hello' }), makeRoom: () => makeRoom() };
}

describe('signing in', () => {
  test('a name opens the chat of that name, however it is spelled, without asking for anything', async () => {
    const { runtime } = setUp();
    const first = await runtime.signIn(attempt({ display_name: '  Ada ' }));
    const again = await runtime.signIn(attempt({ display_name: 'ADA' }));
    expect(first).toMatchObject({ displayName: 'Ada', credentials: {} });
    expect(again.identity).toBe(first.identity);
  });

  test('no name opens a chat of its own beside those that are there', async () => {
    const { runtime } = setUp();
    const first = await runtime.signIn(attempt({}));
    const second = await runtime.signIn(attempt({ display_name: ' ' }, [first.identity]));
    const third = await runtime.signIn(attempt({}, [first.identity, second.identity]));
    expect([first, second, third].map(({ displayName }) => displayName)).toEqual([
      'Local chat',
      'Local chat 2',
      'Local chat 3',
    ]);
  });

  test('a name is one short line', async () => {
    const { runtime } = setUp();
    const { displayName } = await runtime.signIn(attempt({ display_name: `a\nb${'c'.repeat(500)}` }));
    expect(displayName).toBe(`a b${'c'.repeat(77)}`);
  });

  test('the account is connected as soon as it is open', () => {
    const { runtime, clock } = setUp();
    const reports: BindingState[] = [];
    runtime.open(account('acc_1', reports));
    expect(reports).toEqual([{ status: 'connected', since: clock.now() }]);
  });
});

describe('the person writes', () => {
  test('the message is on disk with the transcript in one commit, then it is shown', async () => {
    const { runtime, chat, intake } = setUp();
    runtime.open(account());
    const sent = await chat.send('acc_1', { text: 'hello\n  there' });
    expect(intake.messages).toMatchObject([
      { accountId: 'acc_1', message: { id: sent.messageId, text: 'hello\n  there', sender: { name: 'Ada' } } },
    ]);
    expect(chat.read('acc_1', 0).messages).toEqual([sent]);
  });

  test('a disk that refuses leaves nothing shown', async () => {
    const { runtime, chat, intake } = setUp();
    runtime.open(account());
    intake.broken = true;
    await expect(chat.send('acc_1', { text: 'hello' })).rejects.toThrow('disk full');
    expect(chat.read('acc_1', 0).messages).toEqual([]);
  });

  test('a message that waited while its chat was signed in anew is shown, and takes the place of no other', async () => {
    const { runtime, chat, intake } = setUp();
    const before = runtime.open(account());
    const { sending, makeRoom } = sendWithoutRoom(chat, intake);
    await before.close();
    await say(intake, runtime.open(account()), 'answer', 'key');
    makeRoom();
    await sending;
    const texts = (of: LocalChat): string[] => of.read('acc_1', 0).messages.map(({ text }) => text);
    expect(texts(chat)).toEqual(['answer', 'hello']);
    const restarted = setUp(intake);
    restarted.runtime.open(account());
    expect(texts(restarted.chat)).toEqual(['answer', 'hello']);
  });

  test('a message that waited while its chat was signed out is not taken', async () => {
    const { runtime, chat, intake } = setUp();
    const session = runtime.open(account());
    const { sending, makeRoom } = sendWithoutRoom(chat, intake);
    await session.close();
    makeRoom();
    await expect(sending).rejects.toMatchObject({ code: 'unknown_account' });
    expect(intake.messages).toEqual([]);
  });

  test('a full queue makes the writer wait until it gives up', async () => {
    const { runtime, chat, intake } = setUp();
    runtime.open(account());
    intake.full = true;
    const waiting = new AbortController();
    const sending = chat.send('acc_1', { text: 'hello' }, waiting.signal);
    waiting.abort(new Error('gave up'));
    await expect(sending).rejects.toThrow('gave up');
    expect(intake.messages).toEqual([]);
  });

  test('an empty message and an unknown chat are refused', async () => {
    const { runtime, chat } = setUp();
    runtime.open(account());
    await expect(chat.send('acc_1', { text: '' })).rejects.toMatchObject({ code: 'empty_message' });
    await expect(chat.send('acc_2', { text: 'x' })).rejects.toMatchObject({ code: 'unknown_account' });
    expect(() => chat.read('acc_2', 0)).toThrow('no such chat');
  });

  test('a chat that is about to open is waited for, and no longer than its caller wants', async () => {
    const { runtime, chat } = setUp();
    const opened = chat.opened('acc_1', signal);
    runtime.open(account('acc_2'));
    runtime.open(account());
    await opened;
    await chat.opened('acc_1', signal);
    const giveUp = new AbortController();
    const never = chat.opened('acc_3', giveUp.signal);
    giveUp.abort();
    await expect(never).rejects.toMatchObject({ code: 'chat_not_open' });
  });

  describe('with files', () => {
    const upload = (chat: LocalChat, text: string, accountId = 'acc_1') =>
      chat.upload(accountId, { filename: `${text}.txt`, mimeType: 'text/plain' }, Readable.from([Buffer.from(text)]));

    test('each is stored before the message and goes with it under its ref', async () => {
      const { runtime, chat, intake, files } = setUp();
      runtime.open(account());
      const tokens = [await upload(chat, 'one'), await upload(chat, 'three')];
      const sent = await chat.send('acc_1', { text: 'look', files: tokens });
      expect(sent.files).toMatchObject([
        { filename: 'one.txt', byteSize: 3 },
        { filename: 'three.txt', byteSize: 5 },
      ]);
      const { attachments } = intake.messages[0]!.message;
      expect(attachments.map(({ fileRef }) => fileRef)).toEqual(sent.files.map(({ fileRef }) => fileRef));
      expect(files.get(sent.files[0]!.fileRef)).toMatchObject({ cardId: 'im.local', accountId: 'acc_1' });
      expect(chat.file('acc_1', sent.files[1]!.fileRef)).toMatchObject({ filename: 'three.txt' });
    });

    test('a token is good once, and only in its own chat; a message that was not stored gives it back', async () => {
      const { runtime, chat, intake } = setUp();
      runtime.open(account());
      runtime.open(account('acc_2'));
      const token = await upload(chat, 'once');
      const unknown = { code: 'unknown_file' };
      await expect(chat.send('acc_2', { text: '', files: [token] })).rejects.toMatchObject(unknown);
      await expect(chat.send('acc_1', { text: '', files: [token, token] })).rejects.toMatchObject(unknown);
      await expect(chat.send('acc_1', { text: '', files: [token, 'made up'] })).rejects.toMatchObject(unknown);
      intake.broken = true;
      await expect(chat.send('acc_1', { text: '', files: [token] })).rejects.toThrow('disk full');
      intake.broken = false;
      await chat.send('acc_1', { text: '', files: [token] });
      await expect(chat.send('acc_1', { text: '', files: [token] })).rejects.toMatchObject(unknown);
    });

    test('a file of another chat, or of no message, is not given out', async () => {
      const { runtime, chat, files } = setUp();
      runtime.open(account());
      runtime.open(account('acc_2'));
      const { files: own } = await chat.send('acc_1', { text: '', files: [await upload(chat, 'mine')] });
      await upload(chat, 'not sent');
      const unsent = [...files.files.values()].find(({ filename }) => filename === 'not sent.txt')!;
      expect(chat.file('acc_2', own[0]!.fileRef)).toBeUndefined();
      expect(chat.file('acc_1', unsent.fileRef)).toBeUndefined();
      expect(() => chat.file('acc_3', own[0]!.fileRef)).toThrow('no such chat');
      await expect(upload(chat, 'lost', 'acc_3')).rejects.toMatchObject({ code: 'unknown_account' });
    });
  });

  describe('and sees what became of it', () => {
    test('it waits, is delivered, and is read again because it changed', async () => {
      const { runtime, chat, intake } = setUp();
      const session = runtime.open(account());
      const sent = await chat.send('acc_1', { text: 'hello' });
      expect(sent.state).toBe('waiting');
      const { cursor } = chat.read('acc_1', 0);
      const written = intake.commits;
      session.settled!(sent.messageId, 'delivered');
      expect(chat.read('acc_1', cursor).messages).toMatchObject([{ messageId: sent.messageId, state: 'delivered' }]);
      // The usual end costs no write.
      expect(intake.commits).toBe(written);
    });

    test('an ending without delivery is still known when delivery has forgotten it', async () => {
      const { runtime, chat, intake } = setUp();
      const session = runtime.open(account());
      const sent = await chat.send('acc_1', { text: 'hello' });
      session.settled!(sent.messageId, 'expired');
      await settle();
      const restarted = setUp(intake);
      intake.fates.set(sent.messageId, 'delivered');
      restarted.runtime.open(account());
      expect(restarted.chat.read('acc_1', 0).messages).toMatchObject([{ state: 'expired' }]);
    });

    test('an ending that was not written down before a crash is, when the chat is opened again', async () => {
      const { runtime, chat, intake } = setUp();
      runtime.open(account());
      const sent = await chat.send('acc_1', { text: 'hello' });
      intake.fates.set(sent.messageId, 'discarded');
      setUp(intake).runtime.open(account());
      await settle();
      intake.fates.set(sent.messageId, 'delivered');
      const restarted = setUp(intake);
      restarted.runtime.open(account());
      expect(restarted.chat.read('acc_1', 0).messages).toMatchObject([{ state: 'discarded' }]);
    });
  });
});

describe('the agent answers', () => {
  test('the same part under the same key is shown once, after a restart too', async () => {
    const { runtime, chat, intake } = setUp();
    const session = runtime.open(account());
    const first = await say(intake, session, 'answer', 'key');
    const repeat = await say(intake, session, 'answer', 'key');
    expect(repeat).toEqual(first);
    expect(chat.read('acc_1', 0).messages).toHaveLength(1);

    const restarted = setUp(intake);
    const afterRestart = await say(intake, restarted.runtime.open(account()), 'answer', 'key');
    expect(afterRestart).toEqual(first);
    expect(restarted.chat.read('acc_1', 0).messages).toMatchObject([{ text: 'answer', from: 'agent' }]);
  });

  test('nothing is shown before it is written; what was not written may be sent again', async () => {
    const { runtime, chat, intake } = setUp();
    const session = runtime.open(account());
    await session.send({ kind: 'text', text: 'x' }, 'k', signal);
    expect(intake.commits).toBe(0);
    expect(chat.read('acc_1', 0).messages).toEqual([]);
    await say(intake, session, 'x', 'k');
    expect(chat.read('acc_1', 0).messages).toHaveLength(1);
  });

  test('a streamed answer grows in place and its final text takes the same place', async () => {
    const { runtime, chat, intake } = setUp();
    const { stream } = runtime.open(account());
    const opened = await stream!.open('Hel', signal);
    await stream!.update(opened!.handle, 'Hello', signal);
    const growing = chat.read('acc_1', 0);
    expect(growing.messages).toMatchObject([{ messageId: opened!.handle, text: 'Hello', growing: true }]);

    await put(intake, stream!.finish(opened!.handle, { kind: 'text', text: 'Hello.' }, 'k', signal));
    const final = chat.read('acc_1', growing.cursor);
    expect(final.messages).toMatchObject([{ messageId: opened!.handle, text: 'Hello.', growing: false }]);
    expect(chat.read('acc_1', final.cursor).messages).toEqual([]);
  });

  test('an answer that is given up is not shown any more, and a finished one stays', async () => {
    const { runtime, chat, intake } = setUp();
    const { stream } = runtime.open(account());
    const opened = await stream!.open('Hel', signal);
    const finished = await stream!.open('Done', signal);
    await put(intake, stream!.finish(finished!.handle, { kind: 'text', text: 'Done.' }, 'k', signal));
    const { cursor } = chat.read('acc_1', 0);
    let changes = 0;
    chat.onChange(() => (changes += 1));
    stream!.discard!(opened!.handle);
    stream!.discard!(finished!.handle);
    expect(changes).toBe(1);
    expect(chat.read('acc_1', cursor).messages).toEqual([]);
    expect(chat.read('acc_1', 0).messages.map(({ text }) => text)).toEqual(['Done.']);
  });

  test('answers whose final never comes are bounded', async () => {
    const { runtime, chat } = setUp();
    const { stream } = runtime.open(account());
    for (let index = 0; index < 30; index += 1) await stream!.open(`answer ${index}`, signal);
    expect(
      chat
        .read('acc_1', 0)
        .messages.map(({ text }) => text)
        .slice(-1),
    ).toEqual(['answer 29']);
    expect(chat.read('acc_1', 0).messages.length).toBeLessThan(10);
  });

  test('typing is seen while it lasts, and a change is told once', async () => {
    const { runtime, chat } = setUp();
    const { typing } = runtime.open(account());
    const told: string[] = [];
    chat.onChange((accountId) => told.push(accountId));
    await typing!.show();
    await typing!.show();
    expect(chat.read('acc_1', 0).typing).toBe(true);
    await typing!.clear();
    expect(chat.read('acc_1', 0).typing).toBe(false);
    expect(told).toEqual(['acc_1', 'acc_1']);
  });

  test('text and files are parts of one message, joined texts being the text', () => {
    const { runtime } = setUp();
    const session = runtime.open(account());
    expect(session.plan({ text: 'a'.repeat(100_000), files: [] })).toEqual([
      { kind: 'text', text: 'a'.repeat(100_000) },
    ]);
    expect(session.plan({ text: '', files: [] })).toEqual([]);
  });
});
