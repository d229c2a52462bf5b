import type { Json, SignedInAccount } from '../target.js';
import { bindingFromJson, type TelegramBinding } from './binding.js';

/** An account and the chat that it is. */
export interface BoundChat {
  readonly accountId: string;
  readonly binding: TelegramBinding;
}

/**
 * The account of a chat that is signed in but has no session at the moment, because its credentials are being read or are locked
 * away, or because it signs in anew. Telegram gives each update once and to whoever polls for the bot: what this chat writes
 * meanwhile waits in its account's queue.
 */
export function absentAccountOf(
  accounts: readonly SignedInAccount[],
  botId: number,
  chatId: number,
): BoundChat | undefined {
  for (const { accountId, binding: stored } of accounts) {
    const binding = readable(stored);
    if (binding?.botId === botId && binding.chatId === chatId) return { accountId, binding };
  }
  return undefined;
}

/** One account whose binding is damaged says so when it is opened; the others are looked through all the same. */
function readable(stored: Json): TelegramBinding | undefined {
  try {
    return bindingFromJson(stored);
  } catch {
    return undefined;
  }
}
