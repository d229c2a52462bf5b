import type { ParsedBody } from '../telegram/multipart.js';
import type { World } from './world.js';

/** What one call is answered with. */
export type Answer =
  | { readonly kind: 'json'; readonly status?: number; readonly body: Readonly<Record<string, unknown>> }
  | { readonly kind: 'bytes'; readonly bytes: Buffer };

export interface RouteCall {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: ParsedBody;
  readonly appId: string;
}

export interface Limits {
  readonly maxImageBytes: number;
  readonly maxFileBytes: number;
  readonly maxTextBytes: number;
  readonly maxCardBytes: number;
}

export const LIMITS: Limits = {
  maxImageBytes: 10 * 1024 * 1024,
  maxFileBytes: 30 * 1024 * 1024,
  maxTextBytes: 150 * 1024,
  maxCardBytes: 30 * 1024,
};

const ok = (data: Readonly<Record<string, unknown>> = {}): Answer => ({
  kind: 'json',
  body: { code: 0, msg: 'ok', data },
});
export const refuse = (code: number, status = 400): Answer => ({
  kind: 'json',
  status,
  body: { code, msg: 'as Feishu words it' },
});

/** Carries one call out, or refuses it as Feishu does. Names of calls are method and path with `:` for ids. */
export function carryOut(name: string, call: RouteCall, world: World): Answer {
  const fields = call.body.fields;
  const ids = idsOf(call.path);
  switch (name) {
    case 'GET bot/v3/info':
      return { kind: 'json', body: { code: 0, msg: 'ok', bot: { app_name: 'Bot', open_id: botIdOf(call.appId) } } };
    case 'POST im/v1/messages':
      return create(call, world);
    case 'DELETE im/v1/messages/:': {
      const message = world.messages.find(({ messageId }) => messageId === ids[0]);
      if (!message || message.recalled) return refuse(230011);
      message.recalled = true;
      return ok();
    }
    case 'POST im/v1/images':
      return upload(call, world, 'image', LIMITS.maxImageBytes, 'img_', 'image_key');
    case 'POST im/v1/files':
      return upload(call, world, 'file', LIMITS.maxFileBytes, 'file_', 'file_key');
    case 'GET im/v1/messages/:/resources/:': {
      const bytes = world.resources.get(ids.join(' '));
      return bytes ? { kind: 'bytes', bytes } : refuse(234003);
    }
    case 'POST im/v1/messages/:/reactions': {
      const reaction_id = world.id('re_');
      const emoji = String(objectOf(fields['reaction_type'])['emoji_type']);
      const reaction = { reactionId: reaction_id, messageId: ids[0] ?? '', emoji };
      world.reactions.set(reaction_id, reaction);
      world.reacted.push(reaction);
      return ok({ reaction_id });
    }
    case 'GET im/v1/messages/:/reactions': {
      const items = [...world.reactions.values()]
        .filter(({ messageId, emoji }) => messageId === ids[0] && emoji === call.query.get('reaction_type'))
        .map(({ reactionId }) => ({
          reaction_id: reactionId,
          operator: { operator_id: call.appId, operator_type: 'app' },
        }));
      return ok({
        items: [...items, { reaction_id: 're_person', operator: { operator_id: 'ou_x', operator_type: 'user' } }],
      });
    }
    case 'DELETE im/v1/messages/:/reactions/:':
      return world.reactions.delete(ids[1] ?? '') ? ok() : refuse(231007);
    case 'POST cardkit/v1/cards': {
      const text = cardText(fields['data']);
      if (text === undefined) return refuse(230099);
      const cardId = world.id('card');
      world.cards.set(cardId, { cardId, text, isStreaming: true, sequence: 0, texts: [text] });
      return ok({ card_id: cardId });
    }
    case 'PUT cardkit/v1/cards/:/elements/:/content':
      return change(world, ids[0], fields, String(fields['content']), true);
    case 'PUT cardkit/v1/cards/:':
      return change(world, ids[0], fields, cardText(objectOf(fields['card'])['data']), false);
    default:
      return refuse(404, 404);
  }
}

export function botIdOf(appId: string): string {
  return `ou_bot_${appId}`;
}

/** `POST im/v1/messages/om_1/reactions` as `POST im/v1/messages/:/reactions`. */
export function nameOf(method: string, path: string): string {
  return `${method} ${path.replace(ID, '/:')}`;
}

const ID = /(?<=\/(?:messages|resources|reactions|cards|elements))\/[^/]+/g;

function idsOf(path: string): string[] {
  return Array.from(path.matchAll(ID), ([found]) => decodeURIComponent(found.slice(1)));
}

function create({ query, body }: RouteCall, world: World): Answer {
  const { receive_id, msg_type, content, uuid } = body.fields;
  if (typeof content !== 'string' || typeof uuid !== 'string' || uuid.length > 50) return refuse(230001);
  const earlier = world.messages.find((message) => message.uuid === uuid);
  if (earlier) return ok({ message_id: earlier.messageId });
  const limit = msg_type === 'interactive' ? LIMITS.maxCardBytes : LIMITS.maxTextBytes;
  if (Buffer.byteLength(JSON.stringify(body.fields)) > limit) return refuse(230025);
  const parsed = objectOf(JSON.parse(content));
  if (msg_type === 'text' && String(parsed['text']).trim() === '') return refuse(230001);
  const message = {
    messageId: world.id('om_'),
    receiveId: String(receive_id),
    receiveIdType: query.get('receive_id_type') ?? '',
    type: String(msg_type),
    content: parsed,
    uuid,
    recalled: false,
  };
  world.messages.push(message);
  return ok({ message_id: message.messageId });
}

function upload(
  { body }: RouteCall,
  world: World,
  field: string,
  max: number,
  prefix: string,
  answerField: string,
): Answer {
  const file = body.files[field];
  if (!file) return refuse(234001);
  if (file.bytes.length === 0) return refuse(234010);
  if (file.bytes.length > max) return refuse(234006);
  const key = world.id(prefix);
  world.uploads.set(key, { ...file, fields: body.fields });
  return ok({ [answerField]: key });
}

function change(
  world: World,
  cardId: string | undefined,
  fields: Readonly<Record<string, unknown>>,
  text: string | undefined,
  isStreaming: boolean,
): Answer {
  const card = world.cards.get(cardId ?? '');
  if (!card || text === undefined || text === '') return refuse(300313);
  if (isStreaming && !card.isStreaming) return refuse(300309);
  if (Number(fields['sequence']) <= card.sequence) return refuse(300317);
  if (Buffer.byteLength(JSON.stringify(fields)) > LIMITS.maxCardBytes) return refuse(300305);
  card.sequence = Number(fields['sequence']);
  card.text = text;
  card.isStreaming = isStreaming;
  card.texts.push(text);
  return ok();
}

/** The text of a card's one element; undefined for a card that Feishu would not take. */
function cardText(data: unknown): string | undefined {
  if (typeof data !== 'string') return undefined;
  const card = objectOf(JSON.parse(data));
  const { elements } = objectOf(card['body']);
  const first: unknown = Array.isArray(elements) ? elements[0] : undefined;
  const { tag, content, element_id } = objectOf(first);
  const isTaken = card['schema'] === '2.0' && tag === 'markdown' && typeof element_id === 'string';
  return isTaken && typeof content === 'string' && content !== '' ? content : undefined;
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
