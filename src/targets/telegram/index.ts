import type { AuthFlow } from '../../protocol/index.js';
import type { Target } from '../target.js';
import { parseApiRoot } from './api-root.js';
import { bindingFromJson, consumerOf } from './binding.js';
import { TelegramRuntime } from './runtime.js';
import { TELEGRAM_SKILL } from './skill.js';

/**
 * Telegram through a bot of the person's own. One poller per bot, shared by its accounts (bot.ts); one account per bot and
 * chat (session.ts); signing in by chat id or by a pairing link (sign-in.ts). Errors become ours in errors.ts alone.
 */

/** Raised with every change of tools, flows, skill or capabilities. */
const VERSION = '0.1.0';

const BINDING_FLOW: AuthFlow = {
  id: 'telegram_bot_binding',
  target_type: 'im',
  type: 'form',
  title: 'Bind a Telegram Bot',
  description:
    'Enter the token of your bot. Without a chat id a link is shown: open it in Telegram and press Start to bind that chat.',
  fields: [
    {
      name: 'bot_token',
      label: 'Bot Token',
      input_type: 'password',
      required: true,
      secret: true,
      placeholder: '123456789:ABC-DEF...',
      help_text: 'Create a bot with @BotFather in Telegram; it gives you the token.',
    },
    {
      name: 'chat_id',
      label: 'Chat ID',
      input_type: 'text',
      required: false,
      placeholder: '123456789',
      help_text:
        'Optional. Leave it empty to bind by link. For a group, add the bot to it and enter the id of the group; the bot then ' +
        'hears its administrators, when they mention it, reply to it or send it a command.',
    },
  ],
};

export interface TelegramOptions {
  /** `connectors.telegram.apiRoot`: https, or http on a loopback address. */
  readonly apiRoot: string;
}

/** @throws TypeError when `apiRoot` is not one that may see a bot's token */
export function createTelegramTarget({ apiRoot }: TelegramOptions): Target {
  const root = parseApiRoot(apiRoot);
  return {
    name: 'telegram',
    cardId: 'im.telegram',
    label: 'Telegram',
    version: VERSION,
    description: 'Brings messages that people write to your Telegram bot to the agent, and its answers back.',
    authFlows: [BINDING_FLOW],
    dataClasses: ['message', 'image', 'video', 'audio', 'file'],
    skill: TELEGRAM_SKILL,
    consumerOf: ({ binding }) => consumerOf(bindingFromJson(binding).botId),
    start: (context) => new TelegramRuntime(context, root, () => import('grammy')),
  };
}
