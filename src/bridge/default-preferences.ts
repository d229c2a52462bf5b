import type { Preferences } from './window.js';

/** What holds before a person chose anything. */
export const DEFAULT_PREFERENCES: Preferences = {
  language: 'system',
  theme: 'system',
  showMessageText: false,
  notifySignIn: true,
  notifyExpired: true,
  notifyAgentAway: true,
  notificationText: false,
};
