import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';
import { launchBrowser, type Look, OpenWindow } from './open-window.js';
import { type PageServer, servePage } from './page-server.js';
import type { WindowCase } from './window-case.js';

/**
 * A browser and a served page for one test file; every window is closed after its test, and must have had nothing to complain.
 * With `isKept`, one window stays for the whole file and its page is loaded anew in each test: a new one takes three times as
 * long, and is worth it only to tests that change what a browser keeps, or open several.
 */
export function windowSuite({ isKept = false } = {}): {
  readonly open: (of: WindowCase, look?: Look) => Promise<OpenWindow>;
} {
  let browser: Browser;
  let server: PageServer;
  let kept: OpenWindow | undefined;
  const opened: OpenWindow[] = [];

  beforeAll(async () => {
    server = await servePage(inject('page'));
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });
  afterEach(async ({ task }) => {
    // Whatever a test failed of, the next one finds no trace of it.
    if (task.result?.state === 'fail') kept = undefined;
    for (const window of opened.splice(0)) {
      if (window !== kept) await window.close();
      expect(window.complaints.splice(0)).toEqual([]);
    }
  });

  return {
    open: async (of, look) => {
      if (kept) await kept.reopen(of, look);
      const window = kept ?? (await OpenWindow.open(browser, server.url, of, look));
      if (isKept) kept = window;
      opened.push(window);
      return window;
    },
  };
}
