import type { Message, Update } from 'grammy/types';
import { describe, expect, it } from 'vitest';
import type { TelegramBinding } from './binding.js';
import { readUpdate } from './inbound.js';

const BOT = { id: 77, username: 'Helper_bot' };
const OWNER = 5;
const PRIVATE: TelegramBinding = {
  botId: 77,
  botUsername: 'Helper_bot',
  chatId: OWNER,
  chatType: 'private',
  ownerId: OWNER,
  allow: [],
  access: 'listed',
};
const IN_GROUP: TelegramBinding = { ...PRIVATE, chatId: -9, chatType: 'group', allow: [6] };
const file = { file_id: 'F', file_unique_id: 'u', file_size: 10 };
const where = { latitude: 52.5, longitude: 13.4 };

/** An update as it comes over the wire; the types of the library describe only complete ones. */
function update(content: Record<string, unknown>, kind: 'message' | 'edited_message' = 'message'): Update {
  const from = { id: OWNER, is_bot: false, first_name: 'Ada', last_name: 'L' };
  const message = {
    message_id: 3,
    date: 100,
    chat: { id: OWNER, type: 'private', first_name: 'Ada' },
    from,
    ...content,
  };
  return { update_id: 900, [kind]: message };
}

function inGroup(content: Record<string, unknown>): Update {
  return update({ chat: { id: -9, type: 'supergroup', title: 'Team' }, ...content });
}

function read(given: Update, binding = PRIVATE) {
  return readUpdate(given, binding, BOT, new Set());
}

function messageOf(given: Update, binding = PRIVATE) {
  const verdict = read(given, binding);
  if (verdict?.kind !== 'message') throw new Error(`not a message: ${JSON.stringify(verdict)}`);
  return verdict.message;
}

describe('what people send becomes sensible text and files', () => {
  it.each<[string, Partial<Record<keyof Message, unknown>>, string, string[]]>([
    ['text', { text: ' as it is ' }, ' as it is ', []],
    [
      'photo',
      {
        photo: [
          { ...file, width: 1, height: 1 },
          { ...file, file_id: 'big', width: 9, height: 9 },
        ],
      },
      '',
      ['image photo_3.jpg'],
    ],
    ['captioned photo', { photo: [{ ...file, width: 1, height: 1 }], caption: 'look' }, 'look', ['image photo_3.jpg']],
    ['voice', { voice: { ...file, duration: 1 } }, '', ['audio voice_3.ogg']],
    ['audio', { audio: { ...file, duration: 1, file_name: 'song.mp3' } }, '', ['audio song.mp3']],
    ['video', { video: { ...file, mime_type: 'video/mp4' } }, '', ['video video_3.mp4']],
    ['video note', { video_note: file }, '', ['video video_note_3.mp4']],
    ['animation, once', { animation: file, document: file }, '', ['video animation_3.mp4']],
    ['document', { document: { ...file, file_name: 'a.pdf', mime_type: 'application/pdf' } }, '', ['file a.pdf']],
    ['picture as document', { document: { ...file, file_name: 'a.png', mime_type: 'image/png' } }, '', ['image a.png']],
    [
      'sticker',
      { sticker: { ...file, emoji: '😺', is_video: false, is_animated: false } },
      '😺',
      ['image sticker_3.webp'],
    ],
    ['animated sticker', { sticker: { ...file, is_video: false, is_animated: true } }, '', ['file sticker_3.tgs']],
    ['location', { location: where }, '[Location: 52.5, 13.4]', []],
    [
      'place',
      { venue: { title: 'Café', address: 'Weg 1', location: where }, location: where },
      '[Place: Café, Weg 1 (52.5, 13.4)]',
      [],
    ],
    ['contact', { contact: { first_name: 'Bo', phone_number: '+49' } }, '[Contact: Bo, +49]', []],
    [
      'poll',
      { poll: { question: 'Tea?', options: [{ text: 'yes' }, { text: 'no' }] } },
      '[Poll: Tea?]\n- yes\n- no',
      [],
    ],
    ['dice', { dice: { emoji: '🎲', value: 4 } }, '[🎲 4]', []],
    ['something new', { hologram: {} } as Record<string, unknown>, '[Unsupported message]', []],
  ])('%s', (_name, content, text, files) => {
    const message = messageOf(update(content));
    expect(message.text).toBe(text);
    expect(message.attachments.map(({ fileType, filename }) => `${fileType} ${filename ?? ''}`)).toEqual(files);
  });

  it('takes the largest size of a photo', () => {
    const sizes = [
      { ...file, file_id: 'big', width: 9, height: 9 },
      { ...file, width: 1, height: 1 },
    ];
    expect(messageOf(update({ photo: sizes })).attachments[0]?.locator).toMatchObject({ fileId: 'big' });
  });

  it('names message, sender, conversation and time', () => {
    expect(messageOf(update({ text: 'x' }))).toMatchObject({
      id: 'tg:5:3',
      sender: { id: '5', name: 'Ada L' },
      conversation: { id: '5', type: 'p2p' },
      sentAt: 100_000,
    });
  });

  it('gives an edit an id of its own', () => {
    expect(messageOf(update({ text: 'y', edit_date: 120 }, 'edited_message'))).toMatchObject({
      id: 'tg:5:3:edit:900',
      sentAt: 120_000,
    });
  });

  it('leaves out what nobody said', () => {
    expect(read(update({ pinned_message: {} }))).toEqual({ kind: 'ignored', reason: 'service_message' });
    expect(read(update({ location: where }, 'edited_message'))).toEqual({ kind: 'ignored', reason: 'location_update' });
    expect(read(update({ text: `/start ${'x'.repeat(27)}` }))).toEqual({ kind: 'ignored', reason: 'pairing_code' });
    expect(read(inGroup({ text: 'elsewhere' }))).toBeUndefined();
  });
});

describe('in a group', () => {
  const entity = (type: string, length: number, extra: Record<string, unknown> = {}) => [
    { type, offset: 0, length, ...extra },
  ];
  it.each([
    ['a mention in any case', { text: '@helper_BOT hi', entities: entity('mention', 11) }, true],
    ['a mention of another', { text: '@other_bot hi', entities: entity('mention', 10) }, false],
    [
      'a mention without a name',
      { text: 'Helper hi', entities: entity('text_mention', 6, { user: { id: 77 } }) },
      true,
    ],
    ['a link to the bot', { text: 'Helper', entities: entity('text_link', 6, { url: 'tg://user?id=77' }) }, true],
    ['a bare command', { text: '/help', entities: entity('bot_command', 5) }, true],
    ['a command for the bot', { text: '/help@Helper_bot', entities: entity('bot_command', 16) }, true],
    ['a command for another bot', { text: '/help@other_bot', entities: entity('bot_command', 15) }, false],
    [
      'another bot’s command in reply to the bot',
      { text: '/x@other_bot', entities: entity('bot_command', 12), reply_to_message: { from: { id: 77 } } },
      false,
    ],
    ['a reply to the bot', { text: 'yes', reply_to_message: { from: { id: 77 } } }, true],
    ['a reply to somebody', { text: 'yes', reply_to_message: { from: { id: 8 } } }, false],
    [
      'a caption that mentions',
      { photo: [{ ...file, width: 1, height: 1 }], caption: '@Helper_bot', caption_entities: entity('mention', 11) },
      true,
    ],
    ['talk', { text: 'Helper_bot is nice' }, false],
  ])('%s', (_name, content, addressed) => {
    expect(read(inGroup(content), IN_GROUP)?.kind).toBe(addressed ? 'message' : 'ignored');
  });

  it.each([
    [5, true],
    [6, true],
    [7, false],
    [1_087_968_824, false],
  ])('hears the owner and who is allowed: %i', (id, heard) => {
    const given = inGroup({
      text: '/go',
      entities: entity('bot_command', 3),
      from: { id, is_bot: false, first_name: 'X' },
    });
    expect(read(given, IN_GROUP)?.kind).toBe(heard ? 'message' : 'ignored');
  });
});
