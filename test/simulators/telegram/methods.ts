import type { ParsedBody, UploadedFile } from './multipart.js';
import type { Json } from './updates.js';
import type { World } from './world.js';

const TEXT_MAX = 4_096;
const CAPTION_MAX = 1_024;
const MEBIBYTE = 1024 * 1024;
const PHOTO_MAX_BYTES = 10 * MEBIBYTE;
const UPLOAD_MAX_BYTES = 50 * MEBIBYTE;
const DOWNLOAD_MAX_BYTES = 20 * MEBIBYTE;

/** A refusal of the API. */
export class ApiRefusal extends Error {
  constructor(
    readonly error_code: number,
    readonly description: string,
  ) {
    super(description);
  }
}

const MEDIA_FIELD: Readonly<Record<string, string>> = {
  sendphoto: 'photo',
  sendanimation: 'animation',
  sendvideo: 'video',
  sendaudio: 'audio',
  sendvoice: 'voice',
  senddocument: 'document',
};

/** Carries out one call on the world; getUpdates and webhooks are the server's own. Undefined for a method it does not know. */
export function carryOut(world: World, method: string, { fields, files }: ParsedBody): unknown {
  switch (method) {
    case 'getme':
      return {
        ...world.bot,
        is_bot: true,
        first_name: 'Bot',
        can_join_groups: true,
        can_read_all_group_messages: false,
      };
    case 'getchat':
      return chat(world, fields);
    case 'getchatadministrators': {
      const group = world.groups.get(Number(chat(world, fields)['id']));
      if (!group) throw bad('there are no administrators in the private chat');
      return group.admins.map(({ id, status }) => ({ status, user: { id, is_bot: false, first_name: 'Admin' } }));
    }
    case 'sendmessage':
      return world.post('sendMessage', chatId(world, fields), checkedText(fields['text'], TEXT_MAX), thread(fields));
    case 'editmessagetext':
      return edit(world, fields);
    case 'deletemessage': {
      ownMessage(world, fields, 'message to delete not found').deleted = true;
      return true;
    }
    case 'sendmessagedraft':
      return draft(world, fields);
    case 'sendchataction':
      world.actions.push({ chatId: chatId(world, fields), action: String(fields['action']) });
      return true;
    case 'getfile': {
      const id = String(fields['file_id']);
      const file = world.files.get(id);
      if (!file) throw bad('wrong file_id or the file is temporarily unavailable');
      if (file.bytes.length > DOWNLOAD_MAX_BYTES) throw bad('file is too big');
      return { file_id: id, file_unique_id: `u-${id}`, file_size: file.bytes.length, file_path: file.path };
    }
    default:
      return method in MEDIA_FIELD ? media(world, method, fields, files) : undefined;
  }
}

function chat(world: World, fields: Json): Json {
  const found = world.chatOf(Number(fields['chat_id']));
  if (!found) throw bad('chat not found');
  return found;
}

function chatId(world: World, fields: Json): number {
  return Number(chat(world, fields)['id']);
}

function checkedText(value: unknown, max: number): string {
  const text = typeof value === 'string' ? value : '';
  if (text.trim() === '') throw bad('message text is empty');
  if (text.length > max) throw bad('message is too long');
  if (/\p{Surrogate}/u.test(text)) throw bad('strings must be encoded in UTF-8');
  return text;
}

function thread(fields: Json): { threadId?: number } {
  const id = Number(fields['message_thread_id']);
  return Number.isInteger(id) ? { threadId: id } : {};
}

function ownMessage(world: World, fields: Json, missing: string): World['messages'][number] {
  const id = Number(fields['message_id']);
  const message = world.messages.find(
    (each) => each.chatId === Number(fields['chat_id']) && each.messageId === id && !each.deleted,
  );
  if (!message) throw bad(missing);
  return message;
}

function edit(world: World, fields: Json): Json {
  const message = ownMessage(world, fields, 'message to edit not found');
  const text = checkedText(fields['text'], TEXT_MAX);
  if (text === message.text) {
    throw bad(
      'message is not modified: specified new message content and reply markup are exactly the same as a current content',
    );
  }
  message.edits.push(message.text);
  message.text = text;
  return world.shown(message);
}

function draft(world: World, fields: Json): true {
  const id = chatId(world, fields);
  if (world.groups.has(id)) throw bad('TEXTDRAFT_PEER_INVALID');
  const draftId = Number(fields['draft_id']);
  if (!Number.isInteger(draftId) || draftId === 0) throw bad('draft_id must be non-zero');
  const text = typeof fields['text'] === 'string' ? fields['text'] : '';
  if (text.length > TEXT_MAX) throw bad('message is too long');
  world.drafts.push({ chatId: id, draftId, text });
  return true;
}

function media(world: World, method: string, fields: Json, files: Record<string, UploadedFile>): Json {
  const field = MEDIA_FIELD[method] ?? '';
  const reference = /^attach:\/\/(.+)$/.exec(String(fields[field]))?.[1];
  const file = reference === undefined ? undefined : files[reference];
  if (!file) throw bad(`there is no ${field} in the request`);
  if (file.bytes.length === 0) throw bad('file must be non-empty');
  if (file.bytes.length > UPLOAD_MAX_BYTES) throw new ApiRefusal(413, 'Request Entity Too Large');
  if (field === 'photo' && file.bytes.length > PHOTO_MAX_BYTES) throw bad('file is too big');
  const caption = typeof fields['caption'] === 'string' ? fields['caption'] : '';
  if (caption.length > CAPTION_MAX) throw bad('message caption is too long');
  const name = `send${field.charAt(0).toUpperCase()}${field.slice(1)}`;
  return world.post(name, chatId(world, fields), caption, { file, ...thread(fields) });
}

function bad(description: string): ApiRefusal {
  return new ApiRefusal(400, `Bad Request: ${description}`);
}
