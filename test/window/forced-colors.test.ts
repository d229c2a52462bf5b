import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { messagesCases } from './states/messages.js';
import { windowSuite } from './support/suite.js';

const suite = windowSuite();
const text = messagesCases.find(({ name }) => name === 'text')!;

/** What fills each of these. */
const grounds = (page: Page, selector: string, pseudo?: string): Promise<string[]> =>
  page.evaluate(
    ([of, part]) => [...document.querySelectorAll(of)].map((one) => getComputedStyle(one, part).backgroundColor),
    [selector, pseudo] as const,
  );

it('tells what is chosen, and whether a switch is on, where the system forces its own colours', async () => {
  const { page } = await suite.open(text);
  await page.emulateMedia({ forcedColors: 'active' });
  const [chosenTab, otherTab] = await grounds(page, '[role=tab]');
  expect(chosenTab).not.toBe(otherTab);
  const [current] = await grounds(page, '.nav a[aria-current]');
  const [other] = await grounds(page, '.nav a:not([aria-current])');
  expect(current).not.toBe(other);
  const [ground] = await grounds(page, '.switch');
  const [knob] = await grounds(page, '.switch', '::after');
  expect(knob).not.toBe(ground);
});
