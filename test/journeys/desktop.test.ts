import { describe, expect, it } from 'vitest';
import { DesktopProduct } from './support/desktop-product.js';
import { journeys, type Journey } from './support/journeys.js';
import { DAY } from './specs/index.js';

/** What only the desktop app has: a tray that it lives in while no window is open. */
const tray: Journey<DesktopProduct> = (world) => {
  describe('the tray', () => {
    it('keeps everything going while the window is closed, and brings it back as it was', async () => {
      const product = world().product;
      await product.close();
      world().wechat.say('while nobody looks');
      const lines = async (): Promise<string[]> => (await product.desktop.menu()).map(({ label }) => label);
      await expect.poll(lines).toContain('WeChat · 1 waiting');
      await product.reopen();
      await world().goTo('Accounts');
      await world().reads('Receiving. 1 message waits for your agent.', world().card('WeChat'));
    });
  });
};

journeys('the desktop app', (config) => DesktopProduct.open(config), [...DAY, tray]);
