import type { Page } from 'playwright-core';
import type { Answer, WindowState } from '../../../src/bridge/index.js';

/** The moment at which every picture is taken, Unix ms: 30 November 2026, 14:34 in the pictures' time zone. */
export const NOW = Date.UTC(2026, 10, 30, 14, 34, 0);

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

/**
 * What a host or a shell answers to a command, or to one about an account (`pending acc_wechat`): one answer for good, or one
 * after another, the last for good; `later` keeps it waiting until it is answered otherwise.
 */
export type Answers = Readonly<Record<string, Answer | readonly Answer[] | 'later'>>;

/** One state of one view: what pictures are taken of and accessibility is checked in. */
export interface WindowCase {
  /** The view, and what its pictures begin with: `accounts`. */
  readonly view: string;
  /** The state: `mixed`. */
  readonly name: string;
  /** Where the window is: `#/accounts`. */
  readonly hash: string;
  readonly state: WindowState;
  readonly answers?: Answers;
  /** What a person does first: opens a menu, types into a field. */
  readonly act?: (page: Page) => Promise<void>;
}

/** A successful answer. */
export function result(value: unknown = {}): Answer {
  return { result: value };
}

/** A refusal. */
export function refusal(code: string, message = code): Answer {
  return { error: { code, message } };
}
