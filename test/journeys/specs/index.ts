import type { Journey } from '../support/journeys.js';
import { conversation } from './conversation.js';
import { localChat } from './local-chat.js';
import { look } from './look.js';
import { rehearsal } from './rehearsal.js';
import { signOut } from './sign-out.js';
import { telegramByForm } from './telegram-by-form.js';
import { waitingMessages } from './waiting-messages.js';
import { wechatByCode } from './wechat-by-code.js';

/** One person's day, in order: each part finds what the parts before it left. */
export const DAY: readonly Journey[] = [
  wechatByCode,
  telegramByForm,
  waitingMessages,
  conversation,
  localChat,
  rehearsal,
  look,
  signOut,
];
