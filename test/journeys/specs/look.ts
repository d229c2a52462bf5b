import { describe, expect, it } from 'vitest';
import type { Journey } from '../support/journeys.js';

/** Language and appearance change at once and stay. */
export const look: Journey = (world) => {
  const pick = (name: string): Promise<void> => world().page.getByRole('radio', { name, exact: true }).click();
  const themed = async (theme: string): Promise<void> => {
    await world().page.locator(`html[data-theme=${theme}]`).waitFor();
  };

  describe('the look', () => {
    it('is in the chosen language and theme at once', async () => {
      const { page } = world();
      await world().goTo('Settings');
      await pick('简体中文');
      await page.getByRole('heading', { level: 1, name: '设置' }).waitFor();
      await page.locator('html:lang(zh)').waitFor();
      await page.getByRole('link', { name: '账号', exact: true }).waitFor();
      await pick('深色');
      await themed('dark');
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('设置');
    });

    it('is the same when the window is opened again', async () => {
      await world().product.reopen();
      const { page } = world();
      await page.getByRole('link', { name: '账号', exact: true }).waitFor();
      await themed('dark');
    });

    it('goes back as easily', async () => {
      const { page } = world();
      await page.getByRole('navigation', { name: '主导航' }).getByRole('link', { name: '设置' }).click();
      await pick('浅色');
      await themed('light');
      await pick('English');
      await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
    });
  });
};
