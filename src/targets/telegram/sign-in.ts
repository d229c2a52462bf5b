import { TransportError } from '../../base/errors.js';
import { SignInFailure, type SignedIn, type SignInAttempt, type TargetContext } from '../target.js';
import type { BotIdentity } from './addressing.js';
import { bindingFromJson, bindingToJson, identityOf, redactedBotName, type TelegramBinding } from './binding.js';
import type { Bot } from './bot.js';
import type { BotClient } from './client.js';
import { isMethodUnknown, isRefusal } from './errors.js';
import { PageAnswer } from './transport.js';
import { Pairing, tokenRefused } from './pairing.js';

/** Digits, a colon, and the secret; how long the secret is has changed over the years. */
const TOKEN_SHAPE = /^(\d+):[A-Za-z0-9_-]+$/;
const CHAT_ID_SHAPE = /^(?:-?\d{1,19}|@[A-Za-z]\w{3,31})$/;

/** What signing in needs of the runtime. */
export interface SignInDeps {
  readonly context: TargetContext;
  readonly newClient: (token: string) => BotClient;
  /** The bot with this id, shared with the accounts that live on it. */
  readonly botOf: (identity: BotIdentity, token: string) => Bot;
  /** What a bot that may be at work already is called now. */
  readonly renamed: (identity: BotIdentity) => void;
}

interface BoundChat {
  readonly binding: TelegramBinding;
  readonly chatName: string;
}

/**
 * Binds a bot to a chat: the one named by `chat_id`, or else the private chat in which somebody opens the pairing link.
 * @throws SignInFailure `telegram_…`, TransportError, TargetRefusal
 */
export async function signIn(deps: SignInDeps, attempt: SignInAttempt): Promise<SignedIn> {
  const token = (attempt.input['bot_token'] ?? '').trim();
  const chatId = (attempt.input['chat_id'] ?? '').trim();
  if (!TOKEN_SHAPE.test(token)) {
    throw new SignInFailure('telegram_token_malformed', 'A bot token looks like 123456789:ABC…; BotFather shows it');
  }
  if (chatId !== '' && !CHAT_ID_SHAPE.test(chatId)) {
    throw new SignInFailure('telegram_chat_id_malformed', 'A chat id is a number, such as 123456789 or -1001234567890');
  }
  const client = deps.newClient(token);
  try {
    const me = await client
      .call((api) => api.getMe(), attempt.signal)
      .catch((error: unknown) => {
        throw isTokenRefused(error) ? tokenRefused() : error;
      });
    if (!Number.isSafeInteger(me.id) || typeof me.username !== 'string') {
      throw new TransportError('bad_answer', 'The server did not answer as a Bot API', { effect: 'none' });
    }
    const bot: BotIdentity = { id: me.id, username: me.username };
    deps.renamed(bot);
    const bound =
      chatId === '' ? await pair(deps, attempt, bot, token) : await bindChat(client, attempt.signal, bot, chatId);
    return signedIn(attempt, bound, token);
  } finally {
    client.transport.close();
  }
}

/**
 * Telegram says so in its own words. Other servers of the Bot API answer an unknown token with a bare page, which elsewhere is
 * nobody's word; at the first question of a sign-in the person is right there to correct either, the token or the address.
 */
function isTokenRefused(error: unknown): boolean {
  if (isRefusal(error, 'token_revoked')) return true;
  return error instanceof PageAnswer && (error.status === 401 || error.status === 404);
}

function signedIn(attempt: SignInAttempt, { binding, chatName }: BoundChat, token: string): SignedIn {
  // A group that became a supergroup keeps its account, though its chat id is another one now.
  const known = attempt.existing.find((account) => sameChat(account.binding, binding));
  const bot = `@${binding.botUsername}`;
  return {
    identity: known?.identity ?? identityOf(binding),
    displayName: chatName === '' ? bot : `${bot} · ${chatName}`,
    accountHint: redactedBotName(binding.botUsername),
    binding: bindingToJson(binding),
    credentials: { bot_token: token },
  };
}

function sameChat(stored: SignInAttempt['existing'][number]['binding'], { botId, chatId }: TelegramBinding): boolean {
  try {
    const known = bindingFromJson(stored);
    return known.botId === botId && known.chatId === chatId;
  } catch {
    return false;
  }
}

// ---------------------------------------------------------------- by chat id

async function bindChat(client: BotClient, signal: AbortSignal, bot: BotIdentity, given: string): Promise<BoundChat> {
  if (given === String(bot.id)) {
    throw new SignInFailure(
      'telegram_chat_is_the_bot',
      'This is the id of the bot itself; the id of your chat is wanted',
    );
  }
  const chat = await client
    .call((api) => api.getChat(given), signal)
    .catch((error: unknown) => {
      // An emulated server may have no getChat: a numeric id is then taken as it stands.
      if (isMethodUnknown(error) && !given.startsWith('@')) return chatByIdAlone(Number(given));
      throw chatFailure(error);
    });
  if (chat.type === 'channel') {
    throw new SignInFailure('telegram_chat_is_channel', 'A channel is no conversation; bind a private chat or a group');
  }
  const base = { botId: bot.id, botUsername: bot.username, chatId: chat.id };
  if (chat.type === 'private') {
    const chatName = [chat.first_name, chat.last_name].filter(Boolean).join(' ');
    return { binding: { ...base, chatType: 'private', ownerId: chat.id, allow: [], access: 'listed' }, chatName };
  }
  const admins = await administratorsOf(client, signal, chat.id);
  const binding: TelegramBinding = {
    ...base,
    chatType: 'group',
    ownerId: admins?.owner,
    allow: admins?.others ?? [],
    access: admins ? 'listed' : 'anyone',
  };
  return { binding, chatName: chat.title };
}

type NamedChat =
  | { readonly type: 'private'; readonly id: number; readonly first_name?: string; readonly last_name?: string }
  | { readonly type: 'group'; readonly id: number; readonly title: string };

/** People have positive ids, groups negative ones. */
function chatByIdAlone(id: number): NamedChat {
  return id < 0 ? { type: 'group', id, title: '' } : { type: 'private', id };
}

/**
 * Who may speak to the agent in a group: its administrators when it is bound, for anybody in the group can address the bot.
 * Undefined on a server that does not know the question.
 */
async function administratorsOf(
  client: BotClient,
  signal: AbortSignal,
  chatId: number,
): Promise<{ owner: number | undefined; others: number[] } | undefined> {
  try {
    const members = await client.call((api) => api.getChatAdministrators(chatId), signal);
    const people = members.filter(({ user }) => !user.is_bot);
    const owner = people.find(({ status }) => status === 'creator')?.user.id;
    return { owner, others: people.map(({ user }) => user.id).filter((id) => id !== owner) };
  } catch (error) {
    if (isMethodUnknown(error)) return undefined;
    throw chatFailure(error);
  }
}

function chatFailure(error: unknown): unknown {
  if (isRefusal(error, 'chat_not_found')) {
    return new SignInFailure(
      'telegram_chat_not_found',
      'The bot does not know this chat: open the bot and press Start first',
    );
  }
  if (isRefusal(error, 'blocked')) {
    return new SignInFailure('telegram_chat_blocked', 'The bot is blocked in this chat, or not a member of it');
  }
  return error;
}

// ---------------------------------------------------------------- by pairing link

async function pair(
  { context, botOf }: SignInDeps,
  attempt: SignInAttempt,
  identity: BotIdentity,
  token: string,
): Promise<BoundChat> {
  const bot = botOf(identity, token);
  const pairing = new Pairing(context.clock, identity.username, (progress) => attempt.report(progress));
  attempt.onRefresh(() => pairing.newCode());
  const paired = pairing.wait(attempt.signal);
  const leave = bot.listenForPairing(pairing, token);
  try {
    const { chatId, ownerId, name, languageCode } = await paired;
    // "Connected" is said, and what the person writes is taken, when the account is stored and at work.
    bot.expect(chatId, languageCode);
    const base = { botId: identity.id, botUsername: identity.username };
    return { binding: { ...base, chatId, chatType: 'private', ownerId, allow: [], access: 'listed' }, chatName: name };
  } finally {
    await leave();
  }
}
