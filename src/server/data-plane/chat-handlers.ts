import { ProtocolError, describeError } from '../../base/errors.js';
import type { OutboundVerdict, Verdict } from '../../delivery/delivery.js';
import type { StoredFile } from '../../files/file-store.js';
import {
  ChatAckPayload,
  ChatActivityPayload,
  ChatDeltaPayload,
  ChatMessagePayload,
  ErrorCode,
  IM_V2,
  checker,
} from '../../protocol/index.js';
import type { ClientPacket } from './packet-codec.js';
import { ackType, type PacketContext, type PacketHandler, type Reply } from './packet-handler.js';

const checkMessage = checker(ChatMessagePayload, 'chat.message payload');
const checkDelta = checker(ChatDeltaPayload, 'chat.message.delta payload');
const checkAck = checker(ChatAckPayload, 'chat.message.ack payload');
const checkActivity = checker(ChatActivityPayload, 'chat.activity payload');

/** IM Profile v2 section 8, in bytes of UTF-8; the schema can only count characters. */
const MAX_TOOL_NAME_BYTES = 256;

/** The packets of IM Profile v2 that an agent sends. */
export const chatHandlers: Readonly<Record<string, PacketHandler>> = {
  'chat.message': finalMessage,
  'chat.message.delta': delta,
  'chat.message.ack': acknowledgment,
  'chat.activity': activity,
};

/**
 * A final answer: delivered, and acknowledged exactly once. A channel that is not open is a routing error and no verdict, so
 * the agent keeps the message. Everything up to `deliver` runs at once, so finals and deltas keep their order.
 */
async function finalMessage(context: PacketContext, packet: ClientPacket): Promise<Reply> {
  requireImV2(context, packet);
  const route = context.connector.openRoute(context.link, packet.channelId);
  const messageId = packet.payload['message_id'];
  if (typeof messageId !== 'string' || messageId === '') {
    // Without the id there is no message an ack could speak of.
    throw new ProtocolError(ErrorCode.invalidPacket, 'chat.message payload needs message_id');
  }
  let verdict: OutboundVerdict;
  try {
    const { text, fileRefs } = readMessage(packet);
    const message = { kind: 'message', channelId: route.channelId, id: messageId, text } as const;
    // Known before anything that may have changed since is looked at: what was accepted once is `duplicate` for good.
    const known = context.delivery.recall({ ...message, fileRefs });
    if (known) {
      verdict = await known;
    } else {
      const { accountId } = route;
      if (accountId === undefined) throw notSignedIn();
      const files = fileRefs.map((fileRef) => ownFile(context, route.channelId, fileRef));
      verdict = await context.delivery.deliver({ ...message, accountId, files });
    }
    if (wasSignedOutSince(context, route.channelId, verdict)) throw notSignedIn();
  } catch (error) {
    verdict = rejected(error, context);
  }
  return { type: ackType(packet.type), payload: verdictPayload(messageId, verdict) };
}

function readMessage(packet: ClientPacket): { text: string; fileRefs: string[] } {
  const payload = checkMessage(packet.payload);
  const text = payload.text ?? '';
  const fileRefs = (payload.files ?? []).map((item) => item.file_ref);
  // No network takes a message of spaces, and none may be called delivered that was never sent.
  if (text.trim() === '' && fileRefs.length === 0) {
    throw new Rejection(ErrorCode.invalidPacket, 'text and files are both empty');
  }
  if (new Set(fileRefs).size < fileRefs.length) throw new Rejection(ErrorCode.invalidPacket, 'a file_ref occurs twice');
  return { text, fileRefs };
}

function ownFile({ files, connector }: PacketContext, channelId: string, fileRef: string): StoredFile {
  const file = files.get(fileRef);
  const isOurs = file?.channelId === channelId && file.cardId === connector.card.connector_card_id;
  // A ref that expired will not come back either: the same request can't succeed later.
  if (!file || !isOurs) throw new Rejection(ErrorCode.fileRefNotFound, 'a file_ref is unknown or expired');
  return file;
}

/** A message that waited behind others while its channel was signed out: no later try can reach anybody (IM Profile v2 section 7). */
function wasSignedOutSince({ connector }: PacketContext, channelId: string, verdict: OutboundVerdict): boolean {
  const isUnsent = verdict.status === 'rejected' && verdict.code === ErrorCode.targetUnreachable;
  return isUnsent && typeof connector.signedInOn(channelId) === 'string';
}

function notSignedIn(): Rejection {
  return new Rejection(ErrorCode.connectionNotAuthenticated, 'the channel is not signed in');
}

/** A message this server can say no to by itself, for good. */
class Rejection extends Error {
  override readonly name = 'Rejection';
  constructor(
    readonly code: ErrorCode,
    message: string,
  ) {
    super(message);
  }
}

function rejected(error: unknown, { log }: PacketContext): OutboundVerdict {
  if (error instanceof Rejection || error instanceof ProtocolError) {
    return { status: 'rejected', code: error.code, message: error.message, retryable: false };
  }
  log.error({ error: describeError(error) }, 'a final message could not be handled');
  return { status: 'rejected', code: ErrorCode.internalError, message: INTERNAL, retryable: true };
}

const INTERNAL = 'the message could not be handled';

function verdictPayload(messageId: string, verdict: OutboundVerdict): object {
  if ('messageIds' in verdict) return { message_id: messageId, status: verdict.status };
  const { code, message } = verdict;
  // `accepted` is for what the person has (section 5), and "not yet" has no word of its own but this: the agent keeps the message
  // and repeats it under its id, which is a duplicate once we have sent it.
  const retryable = verdict.status === 'held' || verdict.retryable;
  return { message_id: messageId, status: 'rejected', code, message, retryable };
}

/** A piece of an unfinished answer. It has no ack; what is wrong with it is said as `error`, and the final still works. */
function delta(context: PacketContext, packet: ClientPacket): undefined {
  requireImV2(context, packet);
  const { channelId, accountId } = context.connector.openRoute(context.link, packet.channelId);
  const { message_id: messageId, sequence, text } = checkDelta(packet.payload);
  if (accountId === undefined) {
    throw new ProtocolError(ErrorCode.connectionNotAuthenticated, 'the channel is not signed in');
  }
  context.delivery.delta({ channelId, accountId }, messageId, sequence, text);
}

/** What the agent shows while it works. Whatever is wrong with it must not disturb a message, so it is dropped in silence. */
function activity(context: PacketContext, packet: ClientPacket): undefined {
  requireImV2(context, packet);
  try {
    const { channelId, accountId } = context.connector.openRoute(context.link, packet.channelId);
    if (accountId === undefined) return;
    const snapshot = checkActivity(packet.payload);
    const since = context.clock.now();
    if (snapshot.status !== 'tool') {
      context.delivery.activity(
        { channelId, accountId },
        snapshot.status === 'idle' ? { status: 'idle' } : { status: 'thinking', since },
      );
      return;
    }
    if (Buffer.byteLength(snapshot.tool_name) > MAX_TOOL_NAME_BYTES) return;
    context.delivery.activity({ channelId, accountId }, { status: 'tool', toolName: snapshot.tool_name, since });
  } catch (error) {
    context.log.debug({ error: describeError(error) }, 'an activity snapshot was dropped');
  }
}

/**
 * The agent's verdict on a message of a person. It counts only when channel, message and transmission all match; anything
 * else is ignored, for an answer to an ack could go round for ever.
 */
function acknowledgment(context: PacketContext, packet: ClientPacket): undefined {
  const { transmissions, delivery, log } = context;
  let ack: ChatAckPayload;
  try {
    ack = checkAck(packet.payload);
  } catch (error) {
    log.warn({ error: describeError(error) }, 'a chat.message.ack could not be read');
    return;
  }
  const { channelId, replyTo } = packet;
  const accountId =
    channelId === undefined || replyTo === undefined
      ? undefined
      : transmissions.accountOf(channelId, ack.message_id, replyTo);
  if (channelId === undefined || accountId === undefined) {
    log.info({ messageId: ack.message_id }, 'a chat.message.ack matches no transmission and was ignored');
    return;
  }
  const verdict = readVerdict(ack, context);
  if (verdict.status !== 'rejected' || !verdict.retryable) transmissions.end(channelId, ack.message_id);
  delivery.acknowledge(accountId, ack.message_id, verdict);
}

function readVerdict(ack: ChatAckPayload, { log }: PacketContext): Verdict {
  if (ack.status !== 'rejected') return { status: ack.status };
  const code = ack.code === '' ? UNNAMED_REJECTION : (ack.code ?? UNNAMED_REJECTION);
  if (typeof ack.retryable === 'boolean') return { status: 'rejected', code, retryable: ack.retryable };
  // Not allowed (section 7), but losing the message would be worse than another try; its expiry bounds the tries.
  log.warn(
    { messageId: ack.message_id, code },
    'a rejection does not say whether it is retryable; it is taken as temporary',
  );
  return { status: 'rejected', code, retryable: true };
}

/** Stands where an agent rejects without the code it owes. */
const UNNAMED_REJECTION = 'rejected_without_code';

/** Chat packets exist only where IM Profile v2 was negotiated. */
function requireImV2({ link }: PacketContext, packet: ClientPacket): void {
  if (link.profiles.includes(IM_V2)) return;
  throw new ProtocolError(ErrorCode.unsupportedPacket, `${packet.type} needs ${IM_V2}`);
}
