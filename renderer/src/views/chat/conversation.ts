import type { ResultOf } from '../../../../src/bridge/index.js';

export type LocalReading = ResultOf<'local-read'>;
export type LocalMessage = LocalReading['messages'][number];

/** What the window knows of one local chat: readings put together. */
export interface Conversation {
  /** Finished messages, oldest first. */
  readonly messages: readonly LocalMessage[];
  /** Answers that still grow; each reading replaces them all. */
  readonly growing: readonly LocalMessage[];
  /** Where the next reading goes on. */
  readonly cursor: number;
  readonly typing: boolean;
}

export const NEW_CONVERSATION: Conversation = { messages: [], growing: [], cursor: 0, typing: false };

/**
 * What is known, with a reading that went on from its cursor. A message that is known already has changed and keeps its place;
 * a growing answer that is not listed any more was given up, or is finished and comes under its id.
 */
export function withReading(known: Conversation, reading: LocalReading): Conversation {
  const finished = new Map(
    reading.messages.filter(({ growing }) => !growing).map((message) => [message.messageId, message]),
  );
  const before = known.messages.map((message) => finished.get(message.messageId) ?? message);
  for (const { messageId } of before) finished.delete(messageId);
  return {
    messages: [...before, ...finished.values()],
    growing: reading.messages.filter(({ growing }) => growing),
    cursor: reading.cursor,
    typing: reading.typing,
  };
}

/** A run of messages of one day. `day` is the Unix ms of its first message. */
export interface ChatDay {
  readonly day: number;
  readonly messages: readonly LocalMessage[];
}

/** Messages by day, in the person's own time zone. */
export function daysOf(messages: readonly LocalMessage[]): ChatDay[] {
  const days: { day: number; messages: LocalMessage[] }[] = [];
  for (const message of messages) {
    const last = days.at(-1);
    if (last !== undefined && isSameDay(last.day, message.at)) last.messages.push(message);
    else days.push({ day: message.at, messages: [message] });
  }
  return days;
}

function isSameDay(one: number, other: number): boolean {
  return new Date(one).toDateString() === new Date(other).toDateString();
}
