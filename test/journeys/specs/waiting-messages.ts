import { describe, expect, it } from 'vitest';
import type { Journey } from '../support/journeys.js';
import { KIM } from '../support/world.js';

/** What the person writes while nobody is there, and how the window names each without a word of it. */
const KEPT = 'the words that are kept';
const DROPPED = 'dropped';
const named = (action: string, text: string): RegExp =>
  new RegExp(`^${action}, Text, ${text.length} characters from Telegram`);

/** Messages wait while no agent is there: seen, discarded, offered again, taken. */
export const waitingMessages: Journey = (world) => {
  describe('messages that wait', () => {
    it('show without their words until the person wants to see them', async () => {
      const { page, telegram } = world();
      telegram.say(KIM, KEPT, { firstName: 'Kim' });
      telegram.say(KIM, DROPPED, { firstName: 'Kim' });
      await world().reads('Receiving. 2 messages wait for your agent.', world().card('Telegram'));
      await world().goTo('Messages');
      await world().button(named('Discard', KEPT)).waitFor();
      await world().button(named('Discard', DROPPED)).waitFor();
      await world().reads('No agent is connected');
      await world().reads('Behind an older message');
      expect(await page.content()).not.toContain(KEPT);
      await page.getByRole('switch', { name: 'Show text' }).check();
      await world().reads(KEPT);
      await world().reads(DROPPED);
    });

    it('are discarded after asking, and not without', async () => {
      const { page } = world();
      const discard = world().button(named('Discard', DROPPED));
      await discard.click();
      const dialog = page.getByRole('alertdialog', { name: 'Discard this message?' });
      await world().reads(/Telegram/, dialog);
      await world().reads(new RegExp(`${DROPPED.length} characters`), dialog);
      await dialog.getByRole('button', { name: 'Keep it' }).click();
      await dialog.waitFor({ state: 'detached' });
      await discard.click();
      await dialog.getByRole('button', { name: 'Discard', exact: true }).click();
      await discard.waitFor({ state: 'detached' });
      await world().button(named('Discard', KEPT)).waitFor();
    });

    it('are offered again at once when the person says so, and leave the list when the agent has them', async () => {
      const { page } = world();
      const agent = await world().agent('telegram');
      agent.ack = () => ({ kind: 'reject', code: 'busy', retryable: true });
      await agent.bind('telegram_bot_binding', {});
      await world().reads(/^The agent asked to try later \(busy\)/);
      const refused = await agent.messages.next(({ text }) => text === KEPT, 'the message that waited');
      agent.ack = () => ({ kind: 'accept' });
      await world().button(named('Retry now', KEPT)).click();
      await page.getByRole('heading', { name: 'Nothing is waiting' }).waitFor();
      expect([...agent.memory.accepted]).toEqual([refused.messageId]);
      expect(agent.memory.texts).toEqual([KEPT]);
      await page.getByRole('switch', { name: 'Show text' }).uncheck();
    });
  });
};
