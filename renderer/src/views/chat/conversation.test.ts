import { expect, it } from 'vitest';
import { daysOf, NEW_CONVERSATION, withReading, type LocalMessage, type LocalReading } from './conversation.js';

const NOON = new Date(2030, 4, 6, 12).getTime();
const DAY = 24 * 3_600_000;

function message(messageId: string, change: Partial<LocalMessage> = {}): LocalMessage {
  return {
    messageId,
    from: 'agent',
    text: messageId,
    files: [],
    at: NOON,
    state: undefined,
    growing: false,
    ...change,
  };
}

function reading(cursor: number, messages: readonly LocalMessage[], typing = false): LocalReading {
  return { cursor, messages, typing };
}

it('adds what is new and goes on where the reading ended', () => {
  const first = withReading(NEW_CONVERSATION, reading(1, [message('a')]));
  const second = withReading(first, reading(2, [message('b')], true));
  expect(second.messages.map(({ messageId }) => messageId)).toEqual(['a', 'b']);
  expect(second).toMatchObject({ cursor: 2, typing: true });
});

it('replaces a growing answer by the next one, and by its finished self under the same id', () => {
  const grows = withReading(NEW_CONVERSATION, reading(0, [message('x', { text: 'He', growing: true })]));
  const grown = withReading(grows, reading(0, [message('x', { text: 'Hello', growing: true })]));
  expect(grown.growing.map(({ text }) => text)).toEqual(['Hello']);
  const done = withReading(grown, reading(1, [message('x', { text: 'Hello.' })]));
  expect(done.growing).toEqual([]);
  expect(done.messages.map(({ text }) => text)).toEqual(['Hello.']);
});

it('drops an answer that was given up', () => {
  const grows = withReading(NEW_CONVERSATION, reading(0, [message('x', { growing: true })]));
  expect(withReading(grows, reading(0, []))).toMatchObject({ messages: [], growing: [] });
});

it('changes a message in its place when something became of it', () => {
  const written = [message('a', { from: 'person', state: 'waiting' }), message('b')];
  const before = withReading(NEW_CONVERSATION, reading(2, written));
  const after = withReading(before, reading(3, [message('a', { from: 'person', state: 'delivered' }), message('c')]));
  expect(after.messages.map(({ messageId, state }) => [messageId, state])).toEqual([
    ['a', 'delivered'],
    ['b', undefined],
    ['c', undefined],
  ]);
});

it('puts messages under their day', () => {
  const messages = [message('a', { at: NOON - DAY }), message('b', { at: NOON - 1000 }), message('c', { at: NOON })];
  expect(daysOf(messages).map((day) => day.messages.map(({ messageId }) => messageId))).toEqual([['a'], ['b', 'c']]);
});
