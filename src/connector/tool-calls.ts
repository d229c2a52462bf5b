import { createHash } from 'node:crypto';
import { newId } from '../base/ids.js';
import type { Delivery } from '../delivery/delivery.js';
import type { FileStore, StoredFile } from '../files/file-store.js';
import { ErrorCode, type ConnectorCard, type ToolInvokePayload } from '../protocol/index.js';
import type { Account } from './accounts.js';
import { toolId } from './card.js';
import { AckError } from './connector.js';
import { isAuthenticated } from './descriptor.js';
import { ToolArgumentChecker, type ToolArguments } from './tool-arguments.js';

export interface ToolCall {
  readonly channelId: string;
  /** The account the channel leads to, if any. */
  readonly account: Account | undefined;
  readonly requestId: string | undefined;
  readonly payload: ToolInvokePayload;
}

export interface ToolCallsParts {
  readonly card: ConnectorCard;
  readonly name: string;
  readonly delivery: Pick<Delivery, 'recall' | 'deliver'>;
  readonly files: Pick<FileStore, 'get'>;
}

/** Tool calls of a network (sections 8.18 and 8.19): checked, told apart from repetitions, and delivered like messages. */
export class ToolCalls {
  readonly #parts: ToolCallsParts;
  readonly #checker: ToolArgumentChecker;

  constructor(parts: ToolCallsParts) {
    this.#parts = parts;
    this.#checker = new ToolArgumentChecker(parts.card.tools);
  }

  /**
   * Runs one call, at most once for each repeated-call key.
   * @throws AckError `connection_not_authenticated`, `tool_invoke_failed`, `connector_channel_unavailable`,
   *   `file_ref_not_found`, or the code delivery refuses it with, such as `idempotency_conflict`
   */
  async invoke(call: ToolCall): Promise<{ tool_id: string; result: Record<string, unknown> }> {
    const { payload, channelId } = call;
    const { tool_id } = payload;
    const args = this.#checker.check(tool_id, payload.arguments ?? {});
    const { text, fileRefs } = this.#content(tool_id, args);
    const message = { kind: 'tool', channelId, id: repeatedCallKey(payload, call.requestId), text } as const;
    // Known before anything that may have changed since is looked at: what was done once is not refused afterwards.
    const known = this.#parts.delivery.recall({ ...message, fileRefs });
    const verdict = await (known ?? this.#parts.delivery.deliver({ ...message, ...this.#found(call, fileRefs) }));
    if (verdict.status === 'rejected') throw new AckError(verdict.code, verdict.message);
    if (verdict.status === 'held') {
      const { status, code, message } = verdict;
      return { tool_id, result: { status, reason: code, message } };
    }
    const [messageId] = verdict.messageIds;
    return { tool_id, result: { status: 'sent', ...(messageId !== undefined && { message_id: messageId }) } };
  }

  /** What a new call is delivered to and with. */
  #found({ account, channelId }: ToolCall, fileRefs: readonly string[]): { accountId: string; files: StoredFile[] } {
    if (!account || !isAuthenticated(account.state)) {
      throw new AckError(ErrorCode.connectionNotAuthenticated, 'no account is signed in on this channel');
    }
    if (account.state.status !== 'connected' && account.state.status !== 'degraded') {
      throw new AckError(ErrorCode.connectorChannelUnavailable, 'the account of this channel is not reachable now');
    }
    const { accountId } = account.row;
    return { accountId, files: fileRefs.map((fileRef) => this.#file(fileRef, channelId, accountId)) };
  }

  #content(id: string, args: ToolArguments): { text: string; fileRefs: string[] } {
    const text = typeof args['text'] === 'string' ? args['text'] : '';
    if (id === toolId(this.#parts, 'file')) {
      const { file_ref: fileRef } = args;
      return { text, fileRefs: [typeof fileRef === 'string' ? fileRef : ''] };
    }
    // No network takes a message of spaces.
    if (text.trim() === '') throw new AckError(ErrorCode.toolInvokeFailed, 'argument text must not be empty');
    return { text, fileRefs: [] };
  }

  /** Only a file of this very channel may be sent: one uploaded to it, or one its account received. */
  #file(fileRef: string, channelId: string, accountId: string): StoredFile {
    const file = this.#parts.files.get(fileRef);
    const isOurs =
      file?.cardId === this.#parts.card.connector_card_id &&
      (file.channelId === channelId || (file.accountId !== undefined && file.accountId === accountId));
    if (!file || !isOurs) {
      throw new AckError(ErrorCode.fileRefNotFound, 'there is no such file on this channel, or it expired');
    }
    return file;
  }
}

/**
 * What makes two calls the same one (R23): the model's tool call within its session, else the request. A call that names
 * neither is always a new one.
 */
function repeatedCallKey(payload: ToolInvokePayload, requestId: string | undefined): string {
  const { tool_id, context } = payload;
  if (context?.tool_call_id) return digest(['call', tool_id, context.session_id ?? null, context.tool_call_id]);
  if (requestId) return digest(['request', requestId]);
  return newId('msg');
}

/** Bounded, whatever the length of the ids it was made from. */
function digest(parts: readonly (string | null)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}
