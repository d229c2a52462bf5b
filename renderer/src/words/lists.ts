import type { Language } from '../../../src/bridge/index.js';
import { accounts } from './en/accounts.js';
import { connect } from './en/connect.js';
import { shell } from './en/shell.js';
import type { Phrase } from './phrase.js';
import { accounts as accountsZh } from './zh/accounts.js';
import { connect as connectZh } from './zh/connect.js';
import { shell as shellZh } from './zh/shell.js';

/** Every phrase of the window, one list per view, joined. A view adds its own two lists here. */
const en = { ...shell, ...accounts, ...connect } as const;
const zh: Readonly<Record<WordCode, string>> = { ...shellZh, ...accountsZh, ...connectZh };

export type EnglishWords = typeof en;
export type WordCode = keyof EnglishWords;

export const LISTS: Readonly<Record<Language, Readonly<Record<WordCode, Phrase>>>> = { en, zh };

/** The lists by view, to check that no two views use one code. */
export const LISTS_BY_VIEW = [shell, accounts, connect];
