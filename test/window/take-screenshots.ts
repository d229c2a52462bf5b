import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { ALL_CASES } from './states/index.js';
import { buildPage } from './support/build-page.js';
import { AT_FIRST, launchBrowser, type Look, NARROW, OpenWindow } from './support/open-window.js';
import { servePage } from './support/page-server.js';
import type { WindowCase } from './support/window-case.js';

const LOOKS: readonly Look[] = (['light', 'dark'] as const).flatMap((theme) =>
  (['en', 'zh'] as const).map((language) => ({ ...AT_FIRST, theme, language })),
);

/** At 360 px, one language a theme shows what folds. */
const NARROW_LOOKS: readonly Look[] = [
  { ...NARROW, language: 'en', theme: 'light' },
  { ...NARROW, language: 'zh', theme: 'dark' },
];

/** What is still moving when a state is reached has settled by then; milliseconds. */
const SETTLED_MS = 350;

/**
 * Takes a picture of every view and state into a folder.
 * @param only states whose name contains this, such as `accounts-mixed`; all of them when empty
 * @param inLook looks whose name contains this, such as `dark-zh` or `360`; all of them when empty
 * @returns how many
 */
export async function takeScreenshots(folder: string, only: string, inLook: string): Promise<number> {
  const cases = ALL_CASES.filter(({ view, name }) => `${view}-${name}`.includes(only));
  const looks = [...LOOKS, ...NARROW_LOOKS].filter((look) => lookName(look).includes(inLook));
  const page = await buildPage();
  const server = await servePage(page);
  const browser = await launchBrowser();
  let count = 0;
  try {
    await mkdir(folder, { recursive: true });
    for (const one of cases) count += await takeOne(browser, server.url, one, looks, folder);
  } finally {
    await browser.close();
    await server.close();
    await rm(page, { recursive: true, force: true });
  }
  return count;
}

async function takeOne(
  browser: Browser,
  url: string,
  one: WindowCase,
  looks: readonly Look[],
  folder: string,
): Promise<number> {
  const window = await OpenWindow.open(browser, url, one);
  for (const look of looks) {
    await window.show(look);
    await window.page.waitForTimeout(SETTLED_MS);
    await window.page.screenshot({ path: join(folder, `${one.view}-${one.name}-${lookName(look)}.png`) });
  }
  await window.close();
  for (const complaint of window.complaints) console.error(`${one.view}-${one.name}: ${complaint}`);
  return looks.length;
}

function lookName({ theme, language, width }: Look): string {
  return `${theme}-${language}${width === AT_FIRST.width ? '' : `-${width}`}`;
}
