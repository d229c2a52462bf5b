import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { ALL_CASES } from './states/index.js';
import { AT_FIRST, type Look, NARROW } from './support/open-window.js';
import { windowSuite } from './support/suite.js';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

const LOOKS: readonly Look[] = (['light', 'dark'] as const).flatMap((theme) =>
  (['en', 'zh'] as const).map((language) => ({ ...AT_FIRST, theme, language })),
);

const NARROW_LOOKS: readonly Look[] = [NARROW, { ...NARROW, language: 'zh' }];

const suite = windowSuite({ isKept: true });

describe.each(ALL_CASES.map((one) => ({ ...one, title: `${one.view} ${one.name}` })))('$title', (one) => {
  it('breaks no WCAG 2.2 AA rule in any theme and language, fits 360 px without scrolling sideways, and scrolls within its frame', async () => {
    const window = await suite.open(one);
    await window.page.evaluate(axe.source);
    const found: unknown[] = [];
    for (const look of LOOKS) {
      await window.show(look);
      found.push(...(await violations(window.page)).map((each) => [look.theme, look.language, each]));
      found.push(...(await tooTall(window.page)).map((each) => ['too tall', look.language, each]));
    }
    for (const look of NARROW_LOOKS) {
      await window.show(look);
      found.push(...(await tooWide(window.page)).map((each) => ['too wide', look.language, each]));
      found.push(...(await tooTall(window.page)).map((each) => ['too tall', look.language, each]));
    }
    expect(found).toEqual([]);
  });
});

/** What axe finds on the page as it is, each with where and why. */
function violations(page: Page): Promise<readonly unknown[]> {
  return page.evaluate(async (rules) => {
    const { axe: here } = window as unknown as { axe: typeof axe };
    const { violations: found } = await here.run(document, {
      runOnly: { type: 'tag', values: rules },
      // Of what breaks no rule nothing is asked: axe then spares itself the details of it.
      resultTypes: ['violations'],
    });
    return found.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => [id, html, failureSummary]));
  }, RULES);
}

/** What is wider than its place. */
function tooWide(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll<HTMLElement>('.body, .chat, main, dialog')]
      .filter((each) => each.scrollWidth > each.clientWidth + 1)
      .map((each) => each.className || each.tagName),
  );
}

/** By how much the page is longer than the window: it would have a scroll bar of its own beside that of its content. */
function tooTall(page: Page): Promise<readonly number[]> {
  return page.evaluate(() => {
    const { scrollHeight, clientHeight } = document.documentElement;
    return scrollHeight > clientHeight ? [scrollHeight - clientHeight] : [];
  });
}
