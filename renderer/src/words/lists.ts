import type { Language } from '../../../src/bridge/index.js';
import { accounts } from './en/accounts.js';
import { agent } from './en/agent.js';
import { chat } from './en/chat.js';
import { connect } from './en/connect.js';
import { diagnostics } from './en/diagnostics.js';
import { doctor } from './en/doctor.js';
import { messages } from './en/messages.js';
import { onboarding } from './en/onboarding.js';
import { settings } from './en/settings.js';
import { shell } from './en/shell.js';
import type { Phrase } from './phrase.js';
import { accounts as accountsZh } from './zh/accounts.js';
import { agent as agentZh } from './zh/agent.js';
import { chat as chatZh } from './zh/chat.js';
import { connect as connectZh } from './zh/connect.js';
import { diagnostics as diagnosticsZh } from './zh/diagnostics.js';
import { doctor as doctorZh } from './zh/doctor.js';
import { messages as messagesZh } from './zh/messages.js';
import { onboarding as onboardingZh } from './zh/onboarding.js';
import { settings as settingsZh } from './zh/settings.js';
import { shell as shellZh } from './zh/shell.js';

/** Every phrase of the window, one list per view, joined. A view adds its own two lists here. */
const en = {
  ...shell,
  ...accounts,
  ...connect,
  ...messages,
  ...chat,
  ...agent,
  ...settings,
  ...diagnostics,
  ...doctor,
  ...onboarding,
} as const;
const zh: Readonly<Record<WordCode, string>> = {
  ...shellZh,
  ...accountsZh,
  ...connectZh,
  ...messagesZh,
  ...chatZh,
  ...agentZh,
  ...settingsZh,
  ...diagnosticsZh,
  ...doctorZh,
  ...onboardingZh,
};

export type EnglishWords = typeof en;
export type WordCode = keyof EnglishWords;

export const LISTS: Readonly<Record<Language, Readonly<Record<WordCode, Phrase>>>> = { en, zh };

/** The lists by view, to check that no two views use one code. */
export const LISTS_BY_VIEW = [
  shell,
  accounts,
  connect,
  messages,
  chat,
  agent,
  settings,
  diagnostics,
  doctor,
  onboarding,
];
