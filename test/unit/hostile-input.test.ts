import fc from 'fast-check';
import type { Update } from 'grammy/types';
import { describe, expect, it } from 'vitest';
import { TargetRefusal, TransportError } from '../../src/base/errors.js';
import { ConfigError, parseConfig } from '../../src/host/config.js';
import { decodePacket } from '../../src/server/data-plane/packet-codec.js';
import { readEvent } from '../../src/targets/feishu/inbound.js';
import type { TelegramBinding } from '../../src/targets/telegram/binding.js';
import { addressedAlbumsOf, readUpdate } from '../../src/targets/telegram/inbound.js';
import { isReadable } from '../../src/targets/telegram/readable.js';
import { readAnswer } from '../../src/targets/wechat/answer.js';
import { readMessage } from '../../src/targets/xmpp/inbound.js';
import type { Stanza } from '../../src/targets/xmpp/stanza.js';
import { isRecord } from '../support/http-client.js';
import { mangled } from '../support/mangled.js';

/** Whatever a network, an agent or a config file holds where something sensible should be, nothing is thrown that nobody foresaw. */

const RUNS = { numRuns: 300 };

const file = { file_id: 'F', file_unique_id: 'u', file_size: 10, file_name: 'a.txt', mime_type: 'text/plain' };
const UPDATE = {
  update_id: 900,
  message: {
    message_id: 3,
    date: 100,
    chat: { id: 5, type: 'supergroup', title: 'Team' },
    from: { id: 5, is_bot: false, first_name: 'Ada', last_name: 'L' },
    text: 'hello @Helper_bot',
    caption: 'a caption',
    entities: [{ type: 'mention', offset: 6, length: 11 }],
    caption_entities: [{ type: 'text_mention', offset: 0, length: 1, user: { id: 77 } }],
    photo: [{ file_id: 'P', file_unique_id: 'p', width: 1, height: 1 }],
    document: file,
    sticker: { ...file, is_video: false, is_animated: true, emoji: '🙂' },
    location: { latitude: 1, longitude: 2 },
    contact: { phone_number: '1', first_name: 'B' },
    poll: { question: 'q', options: [{ text: 'a' }] },
    venue: { title: 't', address: 'a', location: { latitude: 1, longitude: 2 } },
    reply_to_message: { message_id: 2, from: { id: 77 }, text: 'before', chat: { id: 5, type: 'private' } },
    quote: { text: 'q', position: 0 },
    forward_origin: { type: 'user', sender_user: { first_name: 'C' }, date: 1 },
    media_group_id: 'album',
  },
};
const KINDS = Object.keys(UPDATE.message);
const BINDING: TelegramBinding = {
  botId: 77,
  botUsername: 'Helper_bot',
  chatId: 5,
  chatType: 'group',
  ownerId: 5,
  allow: [],
  access: 'listed',
};

describe('whatever comes in', () => {
  it('updates of Telegram that are readable at all can be looked through for albums, and each is judged or unreadable', () => {
    const without = fc.subarray(KINDS.filter((key) => !['message_id', 'chat', 'from', 'date'].includes(key)));
    const sample = without.map((gone) => {
      const message = Object.fromEntries(Object.entries(UPDATE.message).filter(([key]) => !gone.includes(key)));
      return { ...UPDATE, message };
    });
    fc.assert(
      fc.property(sample.chain(mangled), fc.constantFrom('group', 'private'), (value, chatType) => {
        const update = value as Update;
        if (typeof value !== 'object' || value === null || !isReadable(update)) return;
        addressedAlbumsOf([update], { id: 77, username: 'Helper_bot' });
        // What can't be judged counts as unreadable (bot.ts); it must then fail on its own, as an error.
        const judge = (): unknown =>
          readUpdate(update, { ...BINDING, chatType }, { id: 77, username: 'Helper_bot' }, new Set());
        try {
          judge();
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
        }
      }),
      RUNS,
    );
  });

  const contents = [
    ['text', { text: 'hi @_user_1' }],
    [
      'post',
      {
        title: 't',
        content: [
          [
            { tag: 'text', text: 'a' },
            { tag: 'img', image_key: 'k' },
            { tag: 'at', user_id: 'u' },
          ],
        ],
      },
    ],
    ['image', { image_key: 'k' }],
    ['file', { file_key: 'k', file_name: 'a.txt' }],
    ['location', { name: 'n', longitude: '1', latitude: '2' }],
    ['merge_forward', { content: 'Merged' }],
  ] as const;
  it.each(contents)('an event of Feishu (%s) can be judged', (type, content) => {
    const event = {
      event_id: 'ev_1',
      sender: { sender_id: { open_id: 'ou_o' }, sender_type: 'user' },
      message: {
        message_id: 'om_1',
        chat_id: 'oc_1',
        chat_type: 'group',
        message_type: type,
        create_time: '1700000000123',
        mentions: [{ key: '@_user_1', id: { open_id: 'ou_bot' }, name: 'Bot' }],
      },
    };
    fc.assert(
      fc.property(mangled(event), mangled(content), (value, inner) => {
        if (isRecord(value) && isRecord(value['message'])) value['message']['content'] ??= JSON.stringify(inner);
        readEvent(value, { ownerId: 'ou_o', botId: 'ou_bot', groups: 'ownerMentions' });
      }),
      RUNS,
    );
  });

  it('a message of XMPP can be judged', () => {
    const name = fc.constantFrom(
      'body',
      'x',
      'url',
      'delay',
      'stanza-id',
      'origin-id',
      'request',
      'replace',
      'encrypted',
    );
    const ns = fc.constantFrom(
      '',
      'jabber:x:oob',
      'urn:xmpp:delay',
      'urn:xmpp:sid:0',
      'urn:xmpp:receipts',
      'urn:xmpp:carbons:2',
    );
    const attrs = fc.dictionary(fc.constantFrom('id', 'by', 'stamp', 'from', 'type', 'to'), fc.string());
    const { stanza } = fc.letrec<{ stanza: Stanza }>((tie) => ({
      stanza: fc.record({
        name,
        ns,
        attrs,
        children: fc.array(fc.oneof(fc.string(), tie('stanza')), { maxLength: 4 }),
      }),
    }));
    const from = fc.constantFrom('ada@example.org/phone', 'bot@example.org', 'x', '', '@', 'a@b@c');
    fc.assert(
      fc.property(stanza, from, fc.option(fc.string(), { nil: undefined }), (value, sender, id) => {
        const message = {
          ...value,
          name: 'message',
          attrs: { ...value.attrs, from: sender, type: 'chat', ...(id === undefined ? {} : { id }) },
        };
        readMessage(message, { own: 'bot@example.org', peer: 'ada@example.org' }, {}, 'spare');
      }),
      RUNS,
    );
  });

  it('an answer of iLink is read, or is a refusal or a fault of the line', () => {
    const sample = { ret: 0, errcode: 0, errmsg: 'ok', msgs: [{ message_id: 1 }], get_updates_buf: 'c' };
    const text = fc
      .oneof(
        mangled(sample).map((value) => JSON.stringify(value)),
        fc.string(),
        fc.constant(''),
      )
      .map(String);
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 599 }), text, fc.nat({ max: 60 }), (status, body, cut) => {
        const bytes = Buffer.from(body).subarray(0, body.length - cut);
        try {
          readAnswer(status, bytes);
        } catch (error) {
          expect(error instanceof TargetRefusal || error instanceof TransportError).toBe(true);
        }
      }),
      RUNS,
    );
  });

  it('a packet of an agent is decoded or refused', () => {
    const packet = {
      schema: 'xagent.connector.packet/v1',
      packet_id: 'p',
      request_id: 'r',
      reply_to: 'q',
      connector_channel_id: 'cch_1',
      type: 'chat.message',
      time: 1,
      payload: { message_id: 'm', text: 't', files: [{ type: 'file', file_ref: 'f' }], created_at: 1 },
    };
    fc.assert(
      fc.property(mangled(packet), (value) => {
        expect(decodePacket(JSON.stringify(value ?? null))).toBeTypeOf('object');
      }),
      RUNS,
    );
  });

  it('a configuration is taken, or refused by the names of its keys and without their values', () => {
    const secret = 'canary-key-0123456789abcdef';
    const whole = parseConfig({ server: { apiKey: secret } });
    fc.assert(
      fc.property(mangled(whole), (value) => {
        try {
          parseConfig(value);
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigError);
          expect(String(error)).not.toContain(secret);
        }
      }),
      { numRuns: 200 },
    );
  });
});
