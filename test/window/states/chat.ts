import type { AccountSnapshot, ResultOf } from '../../../src/bridge/index.js';
import { account } from '../fixtures/accounts.js';
import { settingsFacts } from '../fixtures/settings.js';
import { snapshot, withoutAgent } from '../fixtures/snapshot.js';
import { running, withHost } from '../fixtures/window-state.js';
import { type Answers, HOUR, MINUTE, NOW, refusal, result, SECOND, type WindowCase } from '../support/window-case.js';

type Message = ResultOf<'local-read'>['messages'][number];
type File = Message['files'][number];

function one(name: string, of: Omit<WindowCase, 'view' | 'name' | 'hash'>): WindowCase {
  return { view: 'chat', name, hash: '#/chat', ...of };
}

/** What the person wrote, so many minutes ago. */
export function fromPerson(messageId: string, agoMinutes: number, text: string, over: Partial<Message> = {}): Message {
  return {
    messageId,
    from: 'person',
    text,
    files: [],
    at: NOW - agoMinutes * MINUTE,
    state: 'delivered',
    growing: false,
    ...over,
  };
}

export function fromAgent(messageId: string, agoMinutes: number, text: string, over: Partial<Message> = {}): Message {
  return fromPerson(messageId, agoMinutes, text, { from: 'agent', state: undefined, ...over });
}

export function chatFile(fileRef: string, filename: string, over: Partial<File> = {}): File {
  return { fileRef, fileType: 'file', filename, byteSize: 1_240_000, expiresAt: NOW + 20 * HOUR, ...over };
}

export function reading(messages: readonly Message[], typing = false) {
  return result({ messages, cursor: messages.length, typing });
}

export const TALK: readonly Message[] = [
  fromPerson('p0', 26 * 60, 'Remind me to ask about the bike on Monday.'),
  fromAgent('a0', 26 * 60 - 1, 'I will.'),
  fromPerson('p1', 5, 'Which of the three quotes for the bike repair is the best deal?', {
    files: [chatFile('f1', '报价-3份.pdf')],
  }),
  fromAgent(
    'a1',
    5,
    'The second one. It costs 40 less than the first, and unlike the third it includes the new chain.\n\n' +
      'The first quote lists “labour” twice. Worth asking about before you decide.',
    { files: [chatFile('f2', 'comparison.csv', { byteSize: 2_300 })] },
  ),
  fromPerson('p2', 3, 'Write them a short note, polite, asking about that.'),
];

const GROWING = fromAgent(
  'a2',
  3,
  'Hello, and thank you for the quote. I noticed that “labour” is on it twice, and wanted to check whether one of them is meant for',
  { growing: true },
);

export const answers: Answers = { settings: result(settingsFacts()), 'local-read': reading(TALK) };

function chat(over: Partial<AccountSnapshot> = {}) {
  return running(snapshot({ local: [account('local', over)] }));
}

const waiting = {
  queue: {
    pending: 1,
    oldestReceivedAt: NOW - 3 * MINUTE,
    attempts: 0,
    lastError: undefined,
    retryAt: undefined,
  },
};

const tooLarge = { name: 'holiday-film.mp4', mimeType: 'video/mp4', buffer: Buffer.alloc(64) };
const fits = { name: 'IMG_2207.png', mimeType: 'image/png', buffer: Buffer.alloc(48_000) };

export const chatCases: readonly WindowCase[] = [
  one('talk', { state: chat(), answers }),
  one('streaming', {
    state: chat({ activity: { status: 'thinking', since: NOW - 4 * SECOND } }),
    answers: { ...answers, 'local-read': reading([...TALK, GROWING], true) },
  }),
  one('tool', {
    state: chat({ activity: { status: 'tool', toolName: 'file_reader', since: NOW - 6 * SECOND } }),
    answers,
  }),
  one('away', {
    state: running(withoutAgent({ local: [account('local', waiting)] })),
    answers: {
      ...answers,
      'local-read': reading([
        fromPerson('p3', 70, 'Are you there?', { state: 'expired' }),
        ...TALK.slice(2, 4),
        fromPerson('p2', 3, 'Write them a short note, polite, asking about that.', { state: 'waiting' }),
      ]),
    },
  }),
  one('files', {
    state: chat(),
    answers: { ...answers, settings: result(settingsFacts({ maxUploadBytes: 50_000 })) },
    act: async (page) => {
      // An upload that never ends, so that its picture is always the same.
      await page.route('**/files?*', () => undefined);
      await page.locator('.composer textarea').fill('These two as well.');
      await page.locator('input[type=file]').setInputFiles([fits, { ...tooLarge, buffer: Buffer.alloc(60_000) }]);
      await page.locator('.attachments .filechip').nth(1).waitFor();
    },
  }),
  one('empty', { state: chat(), answers: { ...answers, 'local-read': reading([]) } }),
  one('pairing', { state: running(snapshot({})), answers }),
  one('off', {
    state: running({ ...snapshot({}), connectors: snapshot({}).connectors.filter(({ name }) => name !== 'local') }),
    answers,
  }),
  one('loading', {
    state: withHost({ stage: 'starting', since: NOW - SECOND }),
    act: (page) => page.locator('.ghost').first().waitFor(),
  }),
  one('error', { state: chat(), answers: { ...answers, 'local-read': refusal('internal_error') } }),
];
