import type { Update } from 'grammy/types';
import { isRecord } from '../json-fields.js';

/**
 * Whether an update has the few fields that everything after it relies on. One that has not says nothing to anybody,
 * and must not hold those behind it for ever.
 */
export function isReadable(update: Update): boolean {
  const fields: Readonly<Record<string, unknown>> = { ...update };
  const messages = [fields['message'], fields['edited_message']].filter((message) => message !== undefined);
  const change = fields['my_chat_member'];
  return messages.every(isMessage) && (change === undefined || isChatChange(change));
}

function isMessage(value: unknown): boolean {
  return isRecord(value) && typeof value['message_id'] === 'number' && isChat(value['chat']);
}

function isChatChange(value: unknown): boolean {
  if (!isRecord(value) || !isChat(value['chat'])) return false;
  const member = value['new_chat_member'];
  return isRecord(member) && typeof member['status'] === 'string';
}

function isChat(value: unknown): boolean {
  return isRecord(value) && typeof value['id'] === 'number' && typeof value['type'] === 'string';
}
