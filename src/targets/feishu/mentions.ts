import { arrayOf, fieldsOf, textOf } from '../json-fields.js';

/** Somebody a message names, under the key that stands in its text. */
export interface Mention {
  readonly key: string;
  readonly openId: string | undefined;
  readonly name: string | undefined;
}

/** Keys are a dozen characters; what is far longer is none, and no pattern could be made of it. */
const MAX_KEY_LENGTH = 64;

export function readMentions(value: unknown): Mention[] {
  return arrayOf(value).flatMap((entry) => {
    const { key, id, name } = fieldsOf(entry);
    if (typeof key !== 'string' || key === '' || key.length > MAX_KEY_LENGTH) return [];
    return [{ key, openId: textOf(fieldsOf(id)['open_id']), name: textOf(name) }];
  });
}

/** A key as Feishu writes it, and the one that means everybody. */
const KEY = /@_(?:user_\d+|all)/g;
const EVERYBODY = '@_all';

/**
 * Puts names where the keys of mentions stand. The bot's own mention only says who is addressed, so it goes, with the space
 * behind it.
 */
export function nameMentions(text: string, mentions: readonly Mention[], botId: string | undefined): string {
  const byKey = new Map(mentions.map((mention) => [mention.key, mention]));
  const own = mentions.filter((mention) => isBot(mention, botId)).map(({ key }) => key);
  let named = text;
  // Whole keys only: @_user_1 is also the beginning of @_user_12.
  for (const key of own) named = named.replace(new RegExp(`${escaped(key)}(?!\\d)[ \\u00a0]?`, 'g'), '');
  return named.replace(KEY, (key) => {
    if (key === EVERYBODY) return '@all';
    const name = byKey.get(key)?.name;
    return name === undefined ? key : `@${name}`;
  });
}

export function isAddressed(mentions: readonly Mention[], botId: string | undefined): boolean {
  return mentions.some((mention) => isBot(mention, botId));
}

function isBot({ openId }: Mention, botId: string | undefined): boolean {
  return botId !== undefined && openId === botId;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
