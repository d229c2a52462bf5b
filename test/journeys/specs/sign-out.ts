import { describe, expect, it } from 'vitest';
import { statusOf } from '../../support/spec-agent.js';
import type { Journey } from '../support/journeys.js';

/** A person ends a sign-in from the window, and its agent hears of it. */
export const signOut: Journey = (world) => {
  describe('signing out', () => {
    it('asks first, then ends the account, and the agent is told', async () => {
      const { page } = world();
      const agent = await world().agent('telegram');
      const from = agent.received.mark;
      await world().goTo('Accounts');
      const choose = async (): Promise<void> => {
        await world()
          .button(/^More for Telegram/)
          .click();
        await page.getByRole('menuitem', { name: 'Sign out…' }).click();
      };
      const dialog = page.getByRole('alertdialog', { name: 'Sign out of Telegram?' });
      await choose();
      await dialog.getByRole('button', { name: 'Stay signed in' }).click();
      await dialog.waitFor({ state: 'detached' });
      expect(await world().card('Telegram').count()).toBe(1);
      await choose();
      await dialog.getByRole('button', { name: 'Sign out', exact: true }).click();
      await world().card('Telegram').waitFor({ state: 'detached' });
      const push = await agent.received.next(({ type }) => type === 'connection.descriptor.push', 'the push', { from });
      expect(statusOf(push.payload?.['connection_descriptor'])).not.toBe('connected');
    });
  });
};
