import type { Api } from 'grammy';
import type { OutboundPart, Receipt } from '../target.js';
import type { TelegramBinding } from './binding.js';

/** Where a call goes. */
export interface ChatAddress {
  readonly chat_id: number;
  readonly message_thread_id?: number;
}

/** Calls that show something in one chat, each in its turn. */
export interface ChatCalls {
  readonly binding: TelegramBinding;
  call<T>(run: (api: Api, to: ChatAddress) => Promise<T>, signal?: AbortSignal): Promise<T>;
  send(part: OutboundPart, key: string, signal: AbortSignal): Promise<Receipt>;
}
