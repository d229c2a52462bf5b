import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { account } from './fixtures/accounts.js';
import { pendingMessage } from './fixtures/messages.js';
import { allWell, snapshot } from './fixtures/snapshot.js';
import { running } from './fixtures/window-state.js';
import { answers } from './states/chat.js';
import { messageAnswers } from './states/messages.js';
import { AT_FIRST, NARROW } from './support/open-window.js';
import { windowSuite } from './support/suite.js';
import { MINUTE, NOW, result, SECOND } from './support/window-case.js';

const suite = windowSuite({ isKept: true });

/** Nothing in it lets a line break. */
const UNBROKEN = 'Wolfeschlegelsteinhausenbergerdorff'.repeat(2);
const RIGHT_TO_LEFT = 'مرحبا بالعالم עברית';

const telegram = account('telegram', {
  displayName: `@${UNBROKEN} · ${UNBROKEN}`,
  activity: { status: 'tool', toolName: UNBROKEN, since: NOW - 3 * SECOND },
  queue: { pending: 1234, oldestReceivedAt: NOW - MINUTE, attempts: 0, lastError: undefined, retryAt: undefined },
});
const chats = [UNBROKEN, RIGHT_TO_LEFT, 'Me', `${UNBROKEN} 2`].map((displayName, index) =>
  account('local', { accountId: `acc_local_${index}`, displayName }),
);
const state = running(snapshot(allWell({ telegram: [telegram], local: chats })));

/** What a person can't see or press because it lies beyond the window's right edge. */
const beyond = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('main :is(h1, h2, p, dt, dd, td, th, button, a)')]
      .filter((part) => part.closest('.sr, thead') === null)
      .filter((part) => part.getBoundingClientRect().right > document.documentElement.clientWidth)
      .map((part) => `${part.tagName} ${part.textContent}`),
  );

describe.each([
  ['at first', AT_FIRST],
  ['narrow', NARROW],
] as const)('names without a place to break, in a window as it is %s', (_, look) => {
  it.each(['accounts', 'messages', 'chat', 'agent', 'settings'])('push nothing out of %s', async (view) => {
    const { page } = await suite.open(
      {
        view,
        name: 'long-names',
        hash: `#/${view}`,
        state,
        answers: {
          ...messageAnswers,
          ...answers,
          'pending acc_telegram': result({ messages: [pendingMessage('m1', 1, { preview: UNBROKEN })] }),
        },
      },
      look,
    );
    if (view === 'messages') await page.getByRole('button', { name: /^Discard/ }).waitFor();
    expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(true);
    expect(await beyond(page)).toEqual([]);
  });
});
