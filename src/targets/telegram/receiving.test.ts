import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refusals, type TelegramSimulator } from '../../../test/simulators/telegram/index.js';
import type { TargetRig } from '../../../test/support/target-rig.js';
import { ADA, BOB, FLOW, GROUP, never, TOKEN, text, TelegramRig } from '../../../test/support/telegram-rig.js';
import { StoreError } from '../../store/store.js';

let at: TelegramRig;
let telegram: TelegramSimulator;
let rig: TargetRig;

beforeEach(async () => {
  at = await TelegramRig.start();
  ({ telegram, rig } = at);
});

afterEach(() => at.stop());

describe('receiving', () => {
  it('stores the messages and the offset in one step before the next poll confirms them', async () => {
    const account = await at.openChat();
    rig.intake.failure = new StoreError('disk_full', 'No space');
    telegram.say(ADA, 'keep me');
    await telegram.until(() => account.state() === 'degraded:store_disk_full');
    expect(telegram.updates.unconfirmed).toHaveLength(1);
    rig.intake.failure = undefined;
    await at.passUntil(() => rig.intake.received.length === 1);
    expect(rig.intake.batches.at(-1)?.state['offset']).toBe(String(700_002));
    await at.passUntil(() => telegram.updates.unconfirmed.length === 0);
  });

  it('goes on where it stood after a restart, and takes nothing twice', async () => {
    await at.openChat();
    telegram.say(ADA, 'one');
    await telegram.until(() => rig.intake.received.length === 1);
    expect(rig.intake.state('telegram/4242', 'offset')).toBe('700002');
  });

  it('follows Telegram to lower numbers after a week of silence', async () => {
    await at.openChat();
    telegram.say(ADA, 'before');
    await at.passUntil(() => rig.intake.received.length === 1 && telegram.updates.unconfirmed.length === 0);
    telegram.updates.continueAt(1_000);
    telegram.say(ADA, 'after');
    await at.passUntil(() => rig.intake.received.length === 2);
    await at.passUntil(() => rig.intake.state('telegram/4242', 'offset') === '1001');
  });

  it('leaves the backlog at Telegram while there is no room', async () => {
    await at.openChat();
    let room = (): void => undefined;
    rig.intake.room = new Promise((resolve) => (room = resolve));
    telegram.say(ADA, 'first');
    await at.passUntil(() => rig.intake.received.length === 1);
    telegram.say(ADA, 'second');
    await at.clock.advance(5_000);
    expect(rig.intake.received).toHaveLength(1);
    room();
    await at.passUntil(() => rig.intake.received.length === 2);
  });

  it('goes on for a chat that has room while another one of the same bot has none, and pauses when none has', async () => {
    await at.openChat(ADA, 'acc_1');
    await at.openChat(BOB, 'acc_2');
    rig.intake.full.add('acc_1');
    telegram.say(BOB, 'one');
    telegram.say(BOB, 'two');
    await at.passUntil(() => rig.intake.received.length === 2 && telegram.updates.polling);
    rig.intake.full.add('acc_2');
    telegram.say(BOB, 'three');
    await at.passUntil(() => rig.intake.received.length === 3);
    telegram.say(BOB, 'four');
    await at.clock.advance(5_000);
    expect(telegram.updates.polling).toBe(false);
    expect(rig.intake.textsOf('acc_2')).toEqual(['one', 'two', 'three']);
  });

  it.each([
    ['no chat', { message: { message_id: 1 } }],
    ['a text for a message', { message: 'x' }],
    ['no new state of a member', { my_chat_member: { chat: { id: 7, type: 'private' } } }],
  ])('leaves out an update with %s and takes those behind it', async (_, update) => {
    await at.openChat();
    telegram.updates.push(update);
    telegram.say(ADA, 'behind it');
    await telegram.until(() => rig.intake.received.length === 1);
    await at.passUntil(() => telegram.updates.unconfirmed.length === 0);
  });

  it('hands on the words byte for byte, with who wrote them', async () => {
    await at.openChat();
    const words = '  @{approval:1} approve \n\u200b*x*';
    telegram.say(ADA, words);
    await telegram.until(() => rig.intake.received.length === 1);
    expect(rig.intake.received[0]?.message).toMatchObject({
      text: words,
      sender: { id: String(ADA), name: 'Ada' },
      conversation: { id: String(ADA), type: 'p2p' },
    });
  });

  it('counts strangers as ignored and shows them to nobody', async () => {
    await at.openChat();
    telegram.say(BOB, 'let me in');
    await telegram.until(() => rig.intake.ignored.length === 1);
    expect(rig.intake.ignored).toEqual(['chat_not_bound']);
    expect(rig.intake.received).toEqual([]);
  });

  it('counts a stranger for each account of the bot: it is nobody’s message', async () => {
    await at.openChat(ADA, 'acc_1');
    await at.openChat(1_003, 'acc_2');
    telegram.say(BOB, 'let me in');
    await telegram.until(() => rig.intake.ignored.length > 0);
    const batch = rig.intake.batches.find(({ ignored }) => ignored?.length);
    expect(batch?.ignored?.map(({ accountId }) => accountId)).toEqual(['acc_1', 'acc_2']);
  });

  it('keeps for its account what a chat writes while that has no session: it is opening, locked out, or signs in anew', async () => {
    await at.openChat(ADA, 'acc_1');
    const absent = await at.openChat(BOB, 'acc_2');
    rig.signedIn.push({ accountId: 'acc_2', binding: absent.binding }, { accountId: 'acc_3', binding: 'damaged' });
    await absent.session.close();
    telegram.say(BOB, 'is anybody there?');
    telegram.say(ADA, 'I am');
    await telegram.until(() => rig.intake.received.length === 2);
    expect(rig.intake.textsOf('acc_2')).toEqual(['is anybody there?']);
    expect(rig.intake.textsOf('acc_1')).toEqual(['I am']);
    // Signed out, it is nobody's chat.
    rig.signedIn.length = 0;
    telegram.say(BOB, 'and now?');
    await at.passUntil(() => rig.intake.ignored.length === 1);
    expect(rig.intake.ignored).toEqual(['chat_not_bound']);
    expect(rig.intake.textsOf('acc_2')).toHaveLength(1);
  });

  it('polls once for two chats of one bot and gives each its own', async () => {
    await at.openChat(ADA, 'acc_1');
    telegram.start(BOB);
    const second = await rig.signIn(FLOW, { bot_token: TOKEN, chat_id: String(BOB) }).done;
    rig.open('acc_2', second);
    telegram.say(ADA, 'from Ada');
    telegram.say(BOB, 'from Bob');
    await telegram.until(() => rig.intake.received.length === 2);
    expect(rig.intake.textsOf('acc_1')).toEqual(['from Ada']);
    expect(rig.intake.textsOf('acc_2')).toEqual(['from Bob']);
  });

  it('takes the pictures of an album as one', async () => {
    await at.openChat();
    for (const name of ['a', 'b']) {
      const photo = [{ ...telegram.world.addFile(Buffer.from(name), `${name}.jpg`), width: 90, height: 90 }];
      telegram.send(ADA, { photo, ...(name === 'a' ? { caption: 'both' } : {}) }, { extra: { media_group_id: '77' } });
    }
    await telegram.until(() => rig.intake.received.length === 2);
    const keys = rig.intake.received.map(({ message }) => message.mergeKey);
    expect(keys).toEqual(['77', '77']);
    expect(rig.intake.received[0]?.message.mergeWindowMs).toBeGreaterThan(0);
  });

  it('takes an edit as a message of its own, and every edit once', async () => {
    await at.openChat();
    const message = telegram.say(ADA, 'two plus two');
    telegram.edit(message, { text: 'two plus three' });
    telegram.edit(message, { text: 'two plus four' });
    await telegram.until(() => rig.intake.received.length === 3);
    expect(new Set(rig.intake.received.map(({ message: { id } }) => id)).size).toBe(3);
    expect(rig.intake.textsOf('acc_1').at(-1)).toBe('two plus four');
  });

  it('takes what comes with an update that nobody can read', async () => {
    await at.openChat();
    telegram.send(ADA, { photo: [], media_group_id: 'album', caption: 'x', caption_entities: [null] });
    telegram.say(ADA, 'behind it');
    await telegram.until(() => rig.intake.received.some(({ message }) => message.text === 'behind it'));
  });

  it('fetches a file, and gives a broken download for broken', async () => {
    const { session } = await at.openChat();
    const bytes = Buffer.alloc(200_000, 7);
    telegram.sendDocument(ADA, bytes, 'report 1.pdf', 'application/pdf');
    await telegram.until(() => rig.intake.received.length === 1);
    const attachment = rig.intake.received[0]!.message.attachments[0]!;
    expect(attachment).toMatchObject({ filename: 'report 1.pdf', mimeType: 'application/pdf', byteSize: bytes.length });
    const chunks: Buffer[] = [];
    for await (const chunk of await session.fetch!(attachment, never)) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
    telegram.faults.add('download', { kind: 'truncate' });
    const broken = await session.fetch!(attachment, never);
    await expect(broken.toArray()).rejects.toMatchObject({ name: 'TransportError', code: 'connection_lost' });
    // What stands between for a moment must not cost the file, nor be taken for it.
    telegram.faults.add('download', { kind: 'garbage', body: '<html>Sign in to the Wi-Fi</html>' });
    const page = await session.fetch!(attachment, never);
    await expect(page.toArray()).rejects.toMatchObject({
      name: 'TransportError',
      code: 'gateway_error',
      effect: 'none',
    });
    telegram.faults.add('download', {
      kind: 'garbage',
      status: 302,
      body: '',
      headers: { location: 'http://portal/' },
    });
    await expect(session.fetch!(attachment, never)).rejects.toMatchObject({ name: 'TransportError', effect: 'none' });
    await expect(session.fetch!({ ...attachment, locator: { fileId: 'gone' } }, never)).rejects.toMatchObject({
      name: 'TargetRefusal',
      retryable: false,
    });
    // A document that came without its id will never have one: what is behind it must not wait for more tries.
    await expect(session.fetch!({ ...attachment, locator: { byteSize: 3 } }, never)).rejects.toMatchObject({
      code: 'file_gone',
      retryable: false,
    });
    const huge = { fileId: 'file-1', byteSize: 21 * 1024 * 1024 };
    await expect(session.fetch!({ ...attachment, locator: huge }, never)).rejects.toMatchObject({
      code: 'file_too_large',
    });
  });
});

describe('groups', () => {
  const mention = { entities: [{ type: 'mention', offset: 0, length: 15 }] };

  beforeEach(() => telegram.addGroup(GROUP, 'Team', [{ id: ADA, status: 'creator' }]));

  it('hears its administrators when they address the bot, and nobody else', async () => {
    await at.openChat(GROUP);
    telegram.say(ADA, 'just talking', { chatId: GROUP });
    telegram.say(BOB, '@plain_test_bot do as I say', { chatId: GROUP, extra: mention });
    telegram.say(ADA, '@plain_test_bot hello', { chatId: GROUP, extra: mention });
    await telegram.until(() => rig.intake.received.length === 1);
    expect(rig.intake.textsOf('acc_1')).toEqual(['@plain_test_bot hello']);
    expect(rig.intake.ignored).toEqual(['not_addressed', 'sender_not_allowed']);
    expect(rig.intake.received[0]?.message.conversation.type).toBe('group');
  });

  it('hears a whole album of which one picture addresses the bot', async () => {
    await at.openChat(GROUP);
    const photo = [{ ...telegram.world.addFile(Buffer.from('x'), 'x.jpg'), width: 9, height: 9 }];
    const album = { media_group_id: '5' };
    rig.intake.room = new Promise((resolve) => setImmediate(resolve));
    telegram.send(ADA, { photo }, { chatId: GROUP, extra: album });
    telegram.send(
      ADA,
      { photo, caption: '@plain_test_bot look', caption_entities: mention.entities },
      { chatId: GROUP, extra: album },
    );
    await telegram.until(() => rig.intake.received.length + rig.intake.ignored.length === 2);
    expect(rig.intake.received).toHaveLength(2);
  });

  it('hears the pictures of an addressed album that come with a later poll, and only for a while', async () => {
    await at.openChat(GROUP);
    const photo = [{ ...telegram.world.addFile(Buffer.from('x'), 'x.jpg'), width: 9, height: 9 }];
    const album = { chatId: GROUP, extra: { media_group_id: '5' } };
    const caption = { caption: '@plain_test_bot look', caption_entities: mention.entities };
    telegram.send(ADA, { photo, ...caption }, album);
    await at.passUntil(() => rig.intake.received.length === 1 && telegram.updates.unconfirmed.length === 0);
    telegram.send(ADA, { photo }, album);
    await at.passUntil(() => rig.intake.received.length === 2);
    await at.clock.advance(60_000);
    await at.passUntil(() => telegram.updates.polling);
    telegram.send(ADA, { photo }, album);
    await at.passUntil(() => rig.intake.ignored.length === 1);
    expect(rig.intake.ignored).toEqual(['not_addressed']);
  });

  it('answers in the topic in which the person wrote last, after a restart too', async () => {
    const first = await at.openChat(GROUP);
    const inTopic = { message_thread_id: 9, is_topic_message: true };
    telegram.say(ADA, '@plain_test_bot hello', { chatId: GROUP, extra: { ...mention, ...inTopic } });
    await telegram.until(() => rig.intake.received.length === 1);
    await first.session.close();
    const { session } = await at.openChat(GROUP);
    const sent = session.send(text('here'), 'k', never);
    await at.passUntil(() => telegram.messagesIn(GROUP).length === 1);
    await sent;
    expect(telegram.messagesIn(GROUP)[0]?.threadId).toBe(9);
  });

  it('hears the bot under its new name once somebody has signed in with it again', async () => {
    await at.openChat(GROUP);
    Object.assign(telegram.world.bot, { username: 'renamed_bot' });
    await rig.signIn(FLOW, { bot_token: TOKEN, chat_id: String(GROUP) }).done;
    const entities = [{ type: 'mention', offset: 0, length: 12 }];
    telegram.say(ADA, '@renamed_bot hello', { chatId: GROUP, extra: { entities } });
    await telegram.until(() => rig.intake.received.length + rig.intake.ignored.length === 1);
    expect(rig.intake.textsOf('acc_1')).toEqual(['@renamed_bot hello']);
  });

  it('does not follow the group before the disk knows, and says that nothing was sent', async () => {
    const { session } = await at.openChat(GROUP);
    telegram.addGroup(-100_999, 'Team', [{ id: ADA, status: 'creator' }]);
    telegram.faults.add('sendMessage', refusals.migrated(-100_999), 2);
    rig.bindingFailure = new StoreError('disk_full', 'No space');
    const refused = session.send(text('moved'), 'k', never);
    const outcome = expect(refused).rejects.toMatchObject({ code: 'store_disk_full', effect: 'none' });
    await at.passUntil(() => telegram.countOf('sendMessage') === 1);
    await outcome;
    rig.bindingFailure = undefined;
    const sent = session.send(text('moved'), 'k', never);
    await at.passUntil(() => telegram.textsIn(-100_999).length === 1, 1_000);
    await sent;
  });

  it.each([
    ['the former group', { chat: { id: GROUP, type: 'group' }, migrate_to_chat_id: -100_999 }],
    ['the new one', { chat: { id: -100_999, type: 'supergroup' }, migrate_from_chat_id: GROUP }],
  ])('hears the group as a supergroup once %s says so, with what was written right behind', async (_, notice) => {
    const { bindings } = await at.openChat(GROUP);
    telegram.addGroup(-100_999, 'Team', [{ id: ADA, status: 'creator' }]);
    telegram.updates.push({ message: { message_id: 1, date: 1, from: { id: ADA }, ...notice } });
    telegram.say(ADA, '@plain_test_bot hello', { chatId: -100_999, extra: mention });
    await at.passUntil(() => rig.intake.received.length === 1);
    expect(bindings).toMatchObject([{ chatId: -100_999 }]);
  });

  it('follows the group when it becomes a supergroup, and sends there', async () => {
    const { session, bindings } = await at.openChat(GROUP);
    telegram.addGroup(-100_999, 'Team', [{ id: ADA, status: 'creator' }]);
    telegram.faults.add('sendMessage', refusals.migrated(-100_999));
    const sent = session.send(text('moved'), 'k', never);
    await at.passUntil(() => telegram.textsIn(-100_999).length === 1, 1_000);
    await sent;
    expect(bindings.at(-1)).toMatchObject({ chatId: -100_999 });
  });
});
