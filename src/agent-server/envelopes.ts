import { createHash } from 'node:crypto';
import { envelopeToDict, messageToE2a, type JsonObject } from '../e2a/index.js';
import type { OfferedMessage } from '../delivery/delivery.js';
import type { ServedAccount } from '../connector/agent-server-port.js';

export interface Addressed {
  readonly requestId: string;
  readonly account: ServedAccount;
  readonly sessionId: string;
  /** Unix ms. */
  readonly at: number;
}

/**
 * The id of the request that carries a message: the same whenever it is offered again, and telling nothing about whose it is.
 */
export function requestIdOf(accountId: string, messageId: string): string {
  return `req_${createHash('sha256').update(`${accountId}\n${messageId}`).digest('base64url').slice(0, 22)}`;
}

/** A streamed `chat.send` as the Gateway's own messages become one (E2A section 10). */
export function chatSend(to: Addressed, { message }: OfferedMessage, params: JsonObject): JsonObject {
  const { sender, conversation } = message;
  return envelopeToDict(
    messageToE2a({
      id: to.requestId,
      channel_id: to.account.connector,
      session_id: to.sessionId,
      user_id: sender.id,
      chat_id: conversation.id,
      params,
      is_stream: true,
      timestamp: to.at / 1000,
      req_method: 'chat.send',
      metadata: {
        chat_type: conversation.type,
        ...(sender.name === undefined ? {} : { sender_name: sender.name }),
      },
    }),
  );
}

/** A `chat.interrupt` that cancels what runs in a session. */
export function chatInterrupt(to: Addressed, mode: string): JsonObject {
  return envelopeToDict(
    messageToE2a({
      id: to.requestId,
      channel_id: to.account.connector,
      session_id: to.sessionId,
      params: { intent: 'cancel', session_id: to.sessionId, mode },
      is_stream: false,
      timestamp: to.at / 1000,
      req_method: 'chat.interrupt',
    }),
  );
}
