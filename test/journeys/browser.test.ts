import { describe, expect, it } from 'vitest';
import { BrowserProduct } from './support/browser-product.js';
import { journeys, type Journey } from './support/journeys.js';
import { DAY } from './specs/index.js';

/** What only a browser has: the link that let it in. */
const link: Journey<BrowserProduct> = (world) => {
  describe('the link', () => {
    it('lets nobody else in, while the browser that came by it stays in', async () => {
      const product = world().product;
      const stranger = await product.browser.newContext({ locale: 'en-GB' });
      const page = await stranger.newPage();
      await page.goto(product.usedLink);
      await page.getByRole('heading', { level: 1, name: 'Open it with a fresh link' }).waitFor();
      await stranger.close();
      await product.reopen();
      await world().goTo('Accounts');
      expect(await world().card('WeChat').count()).toBe(1);
    });
  });
};

/** The report for others, saved after a day in which every secret was used and some were refused. */
const report: Journey<BrowserProduct> = (world) => {
  describe('the report', () => {
    it('holds none of the secrets when it is saved', async () => {
      const { page, product, secrets } = world();
      await world().goTo('Settings');
      await page.getByRole('link', { name: 'Diagnostics' }).click();
      await page.getByText(/^Searched for each of your \d+ secrets: none is in it/).waitFor();
      const saved = await product.save(() => page.getByRole('button', { name: 'Save…' }).click());
      expect(saved.length).toBeGreaterThan(1_000);
      const text = saved.toString('utf8');
      expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    });
  });
};

journeys('the window in a browser', (config) => BrowserProduct.open(config), [...DAY, link, report]);
