import { describe, expect, it } from 'vitest';
import { eventually } from '../../support/deadline.js';
import { id } from '../../support/spec-agent.js';
import type { Journey } from '../support/journeys.js';
import { PATIENCE_MS } from '../support/listen.js';
import { KIM } from '../support/world.js';

/** A person writes, the agent thinks, uses a tool and answers word by word, and the window shows it as it happens. */
export const conversation: Journey = (world) => {
  describe('a conversation', () => {
    let channel: string;
    let before: number;

    it('reaches the agent, and its card shows the agent at work', async () => {
      const { telegram } = world();
      const agent = await world().agent('telegram');
      await world().goTo('Accounts');
      await world().factIs('Telegram', 'Agent', /^Connected · idle$/);
      before = await world().lastRoundTrip('telegram');
      telegram.say(KIM, 'What time is it?', { firstName: 'Kim' });
      const message = await agent.messages.next(({ text }) => text === 'What time is it?', 'the question');
      channel = String(message.packet.connector_channel_id);
      agent.activity(channel, { status: 'thinking' });
      await world().factIs('Telegram', 'Agent', /^Thinking · \d+\ss$/);
      agent.activity(channel, { status: 'tool', tool_name: 'clock' });
      await world().factIs('Telegram', 'Agent', /^clock · \d+\ss$/);
    });

    it('streams the answer to the person, who has it once when it is complete', async () => {
      const { telegram } = world();
      const agent = await world().agent('telegram');
      const messageId = id('assistant');
      agent.delta(channel, messageId, 1, 'It is ');
      await telegram.until(() => telegram.world.drafts.some(({ text }) => text.trim() === 'It is'), PATIENCE_MS);
      const ack = await agent.say(channel, 'It is noon.', { messageId });
      expect(ack.payload).toMatchObject({ status: 'accepted' });
      agent.activity(channel, { status: 'idle' });
      await world().factIs('Telegram', 'Agent', /^Connected · idle$/);
      expect(telegram.textsIn(KIM)).toEqual(['It is noon.']);
    });

    it('moves the last round trip and the counters', async () => {
      await eventually(
        async () => (await world().lastRoundTrip('telegram')) > before,
        'a later round trip',
        PATIENCE_MS,
      );
      await world().factIs('Telegram', 'Last round trip', /^\d+\ss ago/);
      await world().goTo('Messages');
      const { page } = world();
      const delivered = page.locator('.stats > div', { hasText: 'Delivered' }).locator('dd');
      // What waited and this question: what reached the agent.
      await expect.poll(() => delivered.textContent(), { timeout: PATIENCE_MS }).toBe('2');
    });
  });
};
