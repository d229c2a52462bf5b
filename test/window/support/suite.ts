import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';
import { launchBrowser, type Look, OpenWindow } from './open-window.js';
import { type PageServer, servePage } from './page-server.js';
import type { WindowCase } from './window-case.js';

/** A browser and a served page for one test file; every window is closed after its test, and must have had nothing to complain. */
export function windowSuite(): { readonly open: (of: WindowCase, look?: Look) => Promise<OpenWindow> } {
  let browser: Browser;
  let server: PageServer;
  const opened: OpenWindow[] = [];

  beforeAll(async () => {
    server = await servePage(inject('page'));
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });
  afterEach(async () => {
    for (const window of opened.splice(0)) {
      await window.close();
      expect(window.complaints).toEqual([]);
    }
  });

  return {
    open: async (of, look) => {
      const window = await OpenWindow.open(browser, server.url, of, look);
      opened.push(window);
      return window;
    },
  };
}
