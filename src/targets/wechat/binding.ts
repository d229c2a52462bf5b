import type { Json } from '../target.js';

/** What is stored of an account besides its secrets. */
export interface WechatBinding {
  readonly botId: string;
  readonly userId: string;
  readonly baseUrl: string;
}

/** Reads back what the sign-in stored. @throws Error when the row was written by something else */
export function readBinding(binding: Json): WechatBinding {
  if (typeof binding === 'object' && binding !== null && 'botId' in binding) {
    const { botId, userId, baseUrl } = binding;
    if (typeof botId === 'string' && typeof userId === 'string' && typeof baseUrl === 'string') {
      return { botId, userId, baseUrl };
    }
  }
  throw new Error('not a WeChat binding');
}

/** Shortest id of which eight characters may be shown. */
const MIN_REVEALED_LENGTH = 16;

/** How an account is named to people: by a part of the bot's id, as the person's own id says even less. */
export function namesOf(botId: string): { displayName: string; accountHint: string } {
  const local = botId.split('@')[0] ?? botId;
  const hint =
    local.length >= MIN_REVEALED_LENGTH ? `${local.slice(0, 4)}***${local.slice(-4)}` : `${local.slice(0, 2)}***`;
  return { displayName: `WeChat ${hint}`, accountHint: hint };
}
