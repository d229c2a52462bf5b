import type { Answer, WindowApi, WindowState } from '../../../src/bridge/index.js';
import type { Answers } from './window-case.js';

/** What a test reads and steers of the fake preload script, inside the page. */
export interface FakePreload {
  readonly calls: { readonly command: string; readonly params: unknown }[];
  push(state: WindowState): void;
  answer(command: string, answers: Answers[string]): void;
}

export interface FakeWindow {
  xagentConnector: WindowApi;
  fakePreload: FakePreload;
}

/**
 * Runs inside the page before any of its scripts, in the place of the preload script: offers the state of a case, answers
 * commands as the case says, and remembers them. Self-contained, because its text is what travels.
 */
export function installFakePreload(given: { readonly state: WindowState; readonly answers: Answers }): void {
  const page = window as unknown as FakeWindow;
  const listeners = new Set<(state: WindowState) => void>();
  const left = new Map<string, Answer[] | 'later'>();
  const waiting = new Map<string, (() => void)[]>();
  let { state } = given;

  const answer = (command: string, answers: Answers[string]): void => {
    if (answers === 'later') left.set(command, answers);
    else left.set(command, Array.isArray(answers) ? [...(answers as Answer[])] : [answers as Answer]);
    for (const goOn of waiting.get(command) ?? []) goOn();
    waiting.delete(command);
  };
  for (const [command, answers] of Object.entries(given.answers)) answer(command, answers);

  const calls: { command: string; params: unknown }[] = [];
  const call = async (command: string, params: unknown): Promise<Answer> => {
    calls.push({ command, params });
    const { accountId } = (params ?? {}) as { readonly accountId?: string };
    for (;;) {
      const answers = left.get(`${command} ${accountId ?? ''}`) ?? left.get(command);
      if (answers !== 'later') {
        const next = answers !== undefined && answers.length > 1 ? answers.shift() : answers?.[0];
        return next ?? { result: {} };
      }
      await new Promise<void>((resolve) => waiting.set(command, [...(waiting.get(command) ?? []), resolve]));
    }
  };

  page.fakePreload = {
    calls,
    answer,
    push: (next) => {
      state = next;
      for (const fn of listeners) fn(next);
    },
  };
  page.xagentConnector = {
    call,
    shell: call,
    state: () => Promise.resolve(state),
    onState: (fn) => {
      listeners.add(fn);
      return () => void listeners.delete(fn);
    },
  };
}
