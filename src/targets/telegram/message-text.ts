import type { Message, Venue } from 'grammy/types';

/** What happens in a chat without anybody saying something; none of it is for an agent. */
const SERVICE_FIELDS = [
  'new_chat_members',
  'community_chat_joined',
  'community_chat_added',
  'community_chat_removed',
  'left_chat_member',
  'new_chat_title',
  'new_chat_photo',
  'delete_chat_photo',
  'group_chat_created',
  'supergroup_chat_created',
  'channel_chat_created',
  'message_auto_delete_timer_changed',
  'migrate_to_chat_id',
  'migrate_from_chat_id',
  'pinned_message',
  'successful_payment',
  'refunded_payment',
  'users_shared',
  'chat_shared',
  'connected_website',
  'write_access_allowed',
  'passport_data',
  'proximity_alert_triggered',
  'boost_added',
  'chat_background_set',
  'forum_topic_created',
  'forum_topic_edited',
  'forum_topic_closed',
  'forum_topic_reopened',
  'general_forum_topic_hidden',
  'general_forum_topic_unhidden',
  'giveaway_created',
  'giveaway_completed',
  'gift',
  'gift_upgrade_sent',
  'unique_gift',
  'paid_message_price_changed',
  'direct_message_price_changed',
  'video_chat_scheduled',
  'video_chat_started',
  'video_chat_ended',
  'video_chat_participants_invited',
  'web_app_data',
  'chat_owner_left',
  'chat_owner_changed',
  'managed_bot_created',
  'poll_option_added',
  'poll_option_deleted',
  'checklist_tasks_done',
  'checklist_tasks_added',
  'suggested_post_info',
  'suggested_post_approved',
  'suggested_post_approval_failed',
  'suggested_post_declined',
  'suggested_post_paid',
  'suggested_post_refunded',
] as const satisfies readonly (keyof Message)[];

export function isServiceMessage(message: Message): boolean {
  return SERVICE_FIELDS.some((field) => message[field] !== undefined);
}

/**
 * The words of a message: the person's own, byte for byte, where there are any; else a short description in brackets of what
 * they sent. Empty for a bare file, which speaks for itself.
 */
export function wordsOf(message: Message): string {
  const own = message.text ?? message.caption;
  if (own !== undefined) return own;
  if (message.sticker) return message.sticker.emoji ?? '';
  if (message.venue) return describeVenue(message.venue);
  if (message.location) return `[Location: ${coordinates(message.location)}]`;
  if (message.contact) {
    const { first_name, last_name, phone_number } = message.contact;
    return `[Contact: ${[first_name, last_name].filter(Boolean).join(' ')}, ${phone_number}]`;
  }
  if (message.poll) {
    return [`[Poll: ${message.poll.question}]`, ...message.poll.options.map(({ text }) => `- ${text}`)].join('\n');
  }
  if (message.checklist) {
    return [`[Checklist: ${message.checklist.title}]`, ...message.checklist.tasks.map(({ text }) => `- ${text}`)].join(
      '\n',
    );
  }
  if (message.dice) return `[${message.dice.emoji} ${String(message.dice.value)}]`;
  if (message.game) return `[Game: ${message.game.title}]`;
  if (message.story) return '[Story]';
  return hasFile(message) ? '' : '[Unsupported message]';
}

function hasFile({ photo, live_photo, voice, audio, video, video_note, animation, document }: Message): boolean {
  return [photo, live_photo, voice, audio, video, video_note, animation, document].some((file) => file !== undefined);
}

function describeVenue({ title, address, location }: Venue): string {
  return `[Place: ${title}, ${address} (${coordinates(location)})]`;
}

function coordinates({ latitude, longitude }: { latitude: number; longitude: number }): string {
  return `${String(latitude)}, ${String(longitude)}`;
}
