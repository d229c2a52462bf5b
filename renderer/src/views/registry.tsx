import type { ComponentType } from 'react';
import type { ViewName } from '../shell/route.js';
import { Accounts } from './accounts/Accounts.js';
import { Agent } from './agent/Agent.js';
import { Chat } from './chat/Chat.js';
import { Messages } from './messages/Messages.js';
import { Settings } from './settings/Settings.js';
import type { ViewProps } from './view-props.js';

/** Every view of the window by its name; each reads the rest of its address itself. */
export const VIEWS: Readonly<Record<ViewName, ComponentType<ViewProps>>> = {
  accounts: Accounts,
  messages: Messages,
  chat: Chat,
  agent: Agent,
  settings: Settings,
};
