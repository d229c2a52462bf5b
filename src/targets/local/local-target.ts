import type { FileStore } from '../../files/file-store.js';
import type { AccountHandle, SignedIn, SignInAttempt, Target, TargetContext, TargetRuntime } from '../target.js';
import { LocalChatError, type LocalChat } from './chat.js';
import { consumerOf, LocalSession } from './local-session.js';
import { SKILL } from './skill.js';
import { Transcript } from './transcript.js';
import { Uploads } from './uploads.js';

const DEFAULT_NAME = 'Local chat';
/** Longer names are cut: the name is a line in a list. */
const MAX_NAME_LENGTH = 80;

/** The network and, beside it, the person's side of its chats. */
export interface LocalTarget extends Target {
  readonly chat: LocalChat;
}

export interface LocalTargetOptions {
  readonly files: FileStore;
  /** How long a message may wait for an agent, milliseconds. */
  readonly messageTtlMs: number;
  /** Path prefix and last part of the card id; `local` unless a second one is needed beside it. */
  readonly name?: string;
}

/** A chat network without a network: the program's own chat between the person at this computer and an agent. */
export function createLocalTarget({ files, messageTtlMs, name = 'local' }: LocalTargetOptions): LocalTarget {
  const cardId = `im.${name}` as const;
  const sessions = new Map<string, LocalSession>();
  const listeners = new Set<(accountId: string) => void>();
  const waiting = new Set<() => void>();

  function sessionOf(accountId: string): LocalSession {
    const session = sessions.get(accountId);
    if (session === undefined) throw new LocalChatError('unknown_account', 'there is no such chat');
    return session;
  }

  const chat: LocalChat = {
    async send(accountId, draft, signal = new AbortController().signal) {
      if (draft.text === '' && (draft.files ?? []).length === 0) {
        throw new LocalChatError('empty_message', 'a message needs text or a file');
      }
      const taken = await sessionOf(accountId).makeReady(draft, signal);
      try {
        // The one that is open by now: who signed in anew meanwhile goes on in it, and one that is closed knows nothing of its order.
        return await sessionOf(accountId).write(draft.text, taken.files);
      } catch (error) {
        taken.giveBack();
        throw error;
      }
    },
    async opened(accountId, signal) {
      while (!sessions.has(accountId)) {
        if (signal.aborted) throw new LocalChatError('chat_not_open', 'the chat is not open yet');
        await new Promise<void>((resolve) => {
          const wake = (): void => {
            waiting.delete(wake);
            signal.removeEventListener('abort', wake);
            resolve();
          };
          waiting.add(wake);
          signal.addEventListener('abort', wake, { once: true });
        });
      }
    },
    async upload(accountId, source, content, signal) {
      const token = await sessionOf(accountId).upload(source, content, signal);
      // Signed out meanwhile: its files went with it, and this one goes with its time.
      sessionOf(accountId);
      return token;
    },
    file: (accountId, fileRef) => (sessionOf(accountId).has(fileRef) ? files.get(fileRef) : undefined),
    read: (accountId, cursor) => sessionOf(accountId).read(cursor),
    onChange(fn) {
      listeners.add(fn);
      return () => void listeners.delete(fn);
    },
  };

  function start(context: TargetContext): TargetRuntime {
    const { clock, log } = context;
    const uploads = new Uploads({ files, cardId, messageTtlMs, clock, log });
    return {
      signIn: async (attempt) => signIn(attempt),
      open(account) {
        const session = new LocalSession({
          accountId: account.accountId,
          displayName: displayNameOf(account),
          intake: context.intake,
          uploads,
          clock,
          changed: () => listeners.forEach((fn) => fn(account.accountId)),
          closed: () => {
            if (sessions.get(account.accountId) === session) sessions.delete(account.accountId);
          },
        });
        sessions.set(account.accountId, session);
        for (const wake of [...waiting]) wake();
        account.report({ status: 'connected', since: clock.now() });
        return session;
      },
      async signOut(account) {
        await context.intake.commit({
          consumer: consumerOf(account.accountId),
          state: Object.fromEntries(Transcript.stateKeys.map((key) => [key, null])),
          messages: [],
        });
      },
      async stop() {
        sessions.clear();
      },
    };
  }

  return {
    name,
    cardId,
    label: 'Local chat',
    version: '1.0.0',
    description: 'A chat inside the connector itself, between the person at this computer and the agent.',
    authFlows: [
      {
        id: 'local_pairing',
        target_type: 'im',
        type: 'form',
        title: 'Open a local chat',
        description: 'Opens a chat in the connector on this computer. Nothing leaves the machine.',
        fields: [
          {
            name: 'display_name',
            label: 'Your name',
            input_type: 'text',
            required: false,
            placeholder: DEFAULT_NAME,
            help_text: 'Shown to the agent as the sender. The same name opens the same chat again.',
            secret: false,
          },
        ],
      },
    ],
    dataClasses: ['message_text', 'message_files', 'display_name'],
    skill: SKILL,
    consumerOf: ({ accountId }) => consumerOf(accountId),
    start,
    chat,
  };
}

/** Signs in at once: a given name opens the chat of that name, no name a chat of its own. */
function signIn(attempt: SignInAttempt): SignedIn {
  const given = cleanName(attempt.input['display_name'] ?? '');
  const taken = new Set(attempt.existing.map(({ identity }) => identity));
  const name = given === '' ? freeName(taken) : given;
  return {
    identity: identityOf(name),
    displayName: name,
    accountHint: name,
    binding: { displayName: name },
    credentials: {},
  };
}

function freeName(taken: ReadonlySet<string>): string {
  for (let number = 1; number <= taken.size; number += 1) {
    const name = number === 1 ? DEFAULT_NAME : `${DEFAULT_NAME} ${number}`;
    if (!taken.has(identityOf(name))) return name;
  }
  return taken.size === 0 ? DEFAULT_NAME : `${DEFAULT_NAME} ${taken.size + 1}`;
}

function cleanName(text: string): string {
  const oneLine = text
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  return Array.from(oneLine).slice(0, MAX_NAME_LENGTH).join('').trim();
}

function identityOf(name: string): string {
  return `name:${name.normalize('NFKC').toLowerCase()}`;
}

function displayNameOf({ binding }: AccountHandle): string {
  const isObject = typeof binding === 'object' && binding !== null && 'displayName' in binding;
  const name = isObject ? binding['displayName'] : undefined;
  return typeof name === 'string' ? name : DEFAULT_NAME;
}
