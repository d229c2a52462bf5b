import type { OfferedMessage } from '../../delivery/delivery.js';
import { IM_V1, primarySkillName, type ConnectorCard } from '../../protocol/index.js';

/** The payload of `chat.message` to an agent: what a person wrote (IM Profile v2 section 5). Equal for every redelivery. */
export function chatMessagePayload(offered: OfferedMessage): object {
  return {
    message_id: offered.messageId,
    text: offered.text === '' ? undefined : offered.text,
    files: offered.files.length === 0 ? undefined : offered.files,
    created_at: offered.message.sentAt ?? offered.receivedAt,
  };
}

/**
 * The payload of the legacy `message.push` (IM Profile v1 section 5).
 * @param replyToolId the tool that the agent answers with
 */
export function messagePushPayload(card: ConnectorCard, replyToolId: string, offered: OfferedMessage): object {
  const { sender, conversation } = offered.message;
  const target = card.supports.targets[0];
  const text = describe(target?.label ?? card.connector.name, offered);
  const senderName = displayName(sender);
  return {
    provider: target?.provider,
    profile: IM_V1,
    event_kind: 'im.message.received',
    message_id: offered.messageId,
    sender_id: sender.id,
    sender_name: senderName,
    display_name: senderName,
    chat_id: conversation.id,
    chat_type: conversation.type,
    message_type: messageType(offered),
    raw_text: offered.message.text,
    text,
    content: text,
    // Guidance for whoever runs the agent, not for the person: with this profile a turn that just ends reaches nobody.
    activation_message: `Answer this message by calling ${replyToolId}: nothing else reaches the person who wrote it.`,
    reply: { required: true, tool_id: replyToolId },
    skill: {
      skill_id: primarySkillName(card.connector_card_id),
      tool_ids: card.tools.map((tool) => tool.tool_id),
    },
    files: offered.files.length === 0 ? undefined : offered.files,
  };
}

/** Characters of an id that may be shown where there is no name. */
const SHOWN_ID_CHARACTERS = 4;

/** The user-visible structure that IM Profile v1 section 6 recommends. */
function describe(source: string, offered: OfferedMessage): string {
  return [
    `User message from ${source}:`,
    `Sender: ${displayName(offered.message.sender)}`,
    `Conversation type: ${offered.message.conversation.type}`,
    `Message type: ${messageType(offered)}`,
    `User text: ${offered.text === '' ? 'none' : offered.text}`,
  ].join('\n');
}

function displayName(sender: OfferedMessage['message']['sender']): string {
  return sender.name ?? `${sender.id.slice(0, SHOWN_ID_CHARACTERS)}***`;
}

/** The attachments' common type; `file` when they differ, `text` when there are none. */
function messageType(offered: OfferedMessage): string {
  const types = new Set(offered.message.attachments.map((attachment) => attachment.fileType));
  const [only] = types;
  if (only === undefined) return 'text';
  return types.size === 1 ? only : 'file';
}
