import { describe, expect, it } from 'vitest';
import { readEvent, type InboundRules } from './inbound.js';

const OWNER = 'ou_owner';
const RULES: InboundRules = { ownerId: OWNER, botId: 'ou_bot', groups: 'ignore' };

const event = (message: Record<string, unknown>, sender: Record<string, unknown> = {}): unknown => ({
  event_id: 'ev_1',
  sender: { sender_id: { open_id: OWNER }, sender_type: 'user', ...sender },
  message: { message_id: 'om_1', chat_id: 'oc_1', chat_type: 'p2p', create_time: '1700000000123', ...message },
});

const read = (message_type: string, content: unknown, more: Record<string, unknown> = {}) => {
  const verdict = readEvent(event({ message_type, content: JSON.stringify(content), ...more }), RULES);
  if (verdict.kind !== 'message') throw new Error(`ignored: ${verdict.reason}`);
  return verdict.message;
};

const mention = (key: string, open_id: string, name: string) => ({ key, id: { open_id }, name });

describe('a message', () => {
  it('has the ids under which Feishu may deliver it again, and its time', () => {
    expect(read('text', { text: 'hi' })).toMatchObject({
      id: 'om_1',
      dedupKeys: ['event:ev_1'],
      text: 'hi',
      sentAt: 1_700_000_000_123,
    });
  });

  it('names whom it mentions, by whole keys, and leaves the bot out', () => {
    const mentions = [mention('@_user_1', 'ou_bot', 'Bot'), mention('@_user_12', 'ou_kim', 'Kim $& Co')];
    expect(read('text', { text: '@_user_1 ask @_user_12, not @_user_3 or @_all' }, { mentions }).text).toBe(
      'ask @Kim $& Co, not @_user_3 or @all',
    );
  });

  it('bears a key of any length, which is none', () => {
    const mentions = [mention('x'.repeat(70_000), 'ou_bot', 'Bot'), mention('@_user_1', 'ou_kim', 'Kim')];
    expect(read('text', { text: '@_user_1 hi' }, { mentions }).text).toBe('@Kim hi');
  });

  it('without mentions keeps every byte', () => {
    const text = ' @ _user  \n\t@someone ';
    expect(read('text', { text }).text).toBe(text);
  });
});

describe('kinds of message', () => {
  it('rich text becomes plain text and its pictures', () => {
    const content = {
      title: 'Plan',
      content: [
        [
          { tag: 'text', text: 'see ' },
          { tag: 'a', text: 'here', href: 'https://example.org' },
          { tag: 'at', user_id: '@_user_1', user_name: 'Kim' },
        ],
        [],
        [{ tag: 'img', image_key: 'img_1' }],
        [{ tag: 'code_block', language: 'TS', text: 'let a = 1;' }],
        [{ tag: 'emotion', emoji_type: 'SMILE' }, { tag: 'hr' }, { tag: 'unknown' }],
        [{ tag: 'media', file_key: 'vid_1' }],
      ],
    };
    const message = read('post', content, { mentions: [mention('@_user_1', 'ou_kim', 'Kim')] });
    expect(message.text).toBe('Plan\nsee here (https://example.org)@Kim\n\n```ts\nlet a = 1;\n```\n[SMILE]---');
    expect(message.attachments).toMatchObject([
      { fileType: 'image', locator: { messageId: 'om_1', key: 'img_1', type: 'image' } },
      { fileType: 'video', locator: { messageId: 'om_1', key: 'vid_1', type: 'file' } },
    ]);
    expect(read('post', { zh_cn: { content: [[{ tag: 'text', text: 'by language' }]] } }).text).toBe('by language');
  });

  it.each([
    ['image', { image_key: 'k' }, { fileType: 'image', locator: { key: 'k', type: 'image' } }],
    ['file', { file_key: 'k', file_name: 'a.pdf' }, { fileType: 'file', filename: 'a.pdf', locator: { type: 'file' } }],
    ['audio', { file_key: 'k', duration: 2000 }, { fileType: 'audio', mimeType: 'audio/opus' }],
    ['media', { file_key: 'k', image_key: 'i', file_name: 'm.mp4' }, { fileType: 'video', filename: 'm.mp4' }],
  ])('%s is a file', (type, content, attachment) => {
    const message = read(type, content);
    expect(message.attachments).toMatchObject([attachment]);
    expect(message.text).toBe('');
  });

  it.each([
    ['sticker', { file_key: 'k' }, '[sticker]'],
    ['interactive', {}, '[card]'],
    ['merge_forward', { content: 'x' }, '[forwarded messages]'],
    ['todo', {}, '[todo]'],
    ['something_new', {}, '[something new]'],
    ['image', {}, '[image]'],
    ['location', { name: 'Office', longitude: '116.4', latitude: '39.9' }, '[location: Office (39.9, 116.4)]'],
    ['location', { name: 'Office', longitude: { toString: 1 }, latitude: [[]] }, '[location: Office]'],
  ])('%s says that there was something', (type, content, text) => {
    expect(read(type, content)).toMatchObject({ text, attachments: [] });
  });
});

describe('what is no message for the agent', () => {
  it.each([
    ['nothing at all', undefined, 'unreadable'],
    ['a text', 'x', 'unreadable'],
    ['no message', { sender: {} }, 'unreadable'],
    ['no sender', event({ message_type: 'text' }, { sender_id: {} }), 'unreadable'],
    ['a stranger', event({ message_type: 'text' }, { sender_id: { open_id: 'ou_x' } }), 'stranger'],
    ['a bot', event({ message_type: 'text' }, { sender_type: 'app', sender_id: {} }), 'not_a_person'],
    ['a group', event({ message_type: 'text', chat_type: 'group' }), 'group'],
  ])('%s', (_name, value, reason) => {
    expect(readEvent(value, RULES)).toEqual({ kind: 'ignored', reason });
  });

  it('a group while the bot’s own id is not known', () => {
    const rules: InboundRules = { ownerId: OWNER, botId: undefined, groups: 'ownerMentions' };
    const value = event({ message_type: 'text', chat_type: 'group', mentions: [mention('@_user_1', 'ou_bot', 'Bot')] });
    expect(readEvent(value, rules)).toEqual({ kind: 'ignored', reason: 'not_addressed' });
  });

  it('damaged content is an empty message, not a fault', () => {
    const verdict = readEvent(event({ message_type: 'text', content: '{"text":' }), RULES);
    expect(verdict).toMatchObject({ kind: 'message', message: { text: '' } });
  });
});
