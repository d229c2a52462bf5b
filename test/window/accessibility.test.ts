import axe from 'axe-core';
import { describe, expect, it } from 'vitest';
import { ALL_CASES } from './states/index.js';
import { AT_FIRST, type Look, NARROW } from './support/open-window.js';
import { windowSuite } from './support/suite.js';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

const LOOKS: readonly Look[] = (['light', 'dark'] as const).flatMap((theme) =>
  (['en', 'zh'] as const).map((language) => ({ ...AT_FIRST, theme, language })),
);

const suite = windowSuite();

describe.each(ALL_CASES.map((one) => ({ ...one, title: `${one.view} ${one.name}` })))('$title', (one) => {
  it.each(LOOKS)('breaks no WCAG 2.2 AA rule: $theme, $language', async (look) => {
    const { page } = await suite.open(one, look);
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate(
      (rules) =>
        (window as unknown as { axe: typeof axe }).axe.run(document, { runOnly: { type: 'tag', values: rules } }),
      RULES,
    );
    expect(
      violations.map(({ id, nodes }) => ({
        id,
        nodes: nodes.map(({ html, failureSummary }) => [html, failureSummary]),
      })),
    ).toEqual([]);
  });

  it.each(['en', 'zh'] as const)('fits 360 px without scrolling sideways: %s', async (language) => {
    const { page } = await suite.open(one, { ...NARROW, language });
    const over = await page.evaluate(() => {
      const wide = [document.documentElement, ...document.querySelectorAll<HTMLElement>('.body, .chat, main, dialog')];
      return wide
        .filter((each) => each.scrollWidth > each.clientWidth + 1)
        .map((each) => each.className || each.tagName);
    });
    expect(over).toEqual([]);
  });
});
