import { describe, expect, it } from 'vitest';
import type { Journey } from '../support/journeys.js';
import { BOT_TOKEN, KIM, STRANGE_TOKEN } from '../support/world.js';

/** A person connects a Telegram bot by its token. */
export const telegramByForm: Journey = (world) => {
  describe('Telegram by its form', () => {
    it('says of a token what is wrong with it: its look, or that Telegram doesn’t know it', async () => {
      const { page } = world();
      await world().goTo('Accounts');
      await page.getByRole('link', { name: 'Connect account' }).click();
      await page.getByRole('link', { name: /^Telegram/ }).click();
      const token = page.getByRole('textbox', { name: /^Bot token/ });
      await token.fill('not a token');
      await page.getByRole('textbox', { name: /^Chat ID/ }).fill(String(KIM));
      await world().reads(/^This isn’t a bot token/);
      await token.fill(STRANGE_TOKEN);
      await world().button('Connect').click();
      await world().reads('Telegram doesn’t know this token. Copy it again from BotFather.');
      // To be corrected it stays in its field, hidden, and stands nowhere else.
      expect([await token.inputValue(), await token.getAttribute('type')]).toEqual([STRANGE_TOKEN, 'password']);
      expect(await page.content()).not.toContain(STRANGE_TOKEN);
      await token.fill('');
    });

    it('connects with the right one', async () => {
      const { page } = world();
      await page.getByRole('textbox', { name: /^Bot token/ }).fill(BOT_TOKEN);
      await world().button('Connect').click();
      await page.getByRole('heading', { name: 'Telegram is connected' }).waitFor();
      await page.getByRole('link', { name: 'Done' }).click();
      await world().reads('Receiving.', world().card('Telegram'));
    });
  });
};
