import { randomBytes } from 'node:crypto';
import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { id } from '../../support/spec-agent.js';
import type { Journey } from '../support/journeys.js';

/** More than one piece of an upload, so that it takes its way in parts. */
const UP = randomBytes(300_000);
const DOWN = randomBytes(200_000);

/** A person writes to their agent in the window itself. */
export const localChat: Journey = (world) => {
  const log = (): Locator => world().page.getByRole('log', { name: 'Chat with your agent' });

  describe('the local chat', () => {
    let channel: string;

    it('opens at once, and what is written before the agent comes waits for it', async () => {
      const { page } = world();
      await world().goTo('Chat');
      await page.getByRole('textbox', { name: /^Your name/ }).fill('Kim');
      await world().button('Open chat').click();
      const message = page.getByRole('textbox', { name: 'Message' });
      await message.fill('Are you there?');
      await message.press('Enter');
      await world().reads('Are you there?', log());
      await world().reads(/^Waits for an agent/, log());
      const agent = await world().agent('local');
      channel = await agent.bind('local_pairing', { display_name: 'Kim' });
      await agent.messages.next(({ text }) => text === 'Are you there?', 'what was written before');
      await world().reads('Agent has it', log());
    });

    it('shows the answer as it grows, and once when it is complete', async () => {
      const { page } = world();
      const agent = await world().agent('local');
      const messageId = id('assistant');
      agent.delta(channel, messageId, 1, 'Yes, I ');
      await world().reads('Yes, I');
      await world().reads('Writing…');
      await agent.say(channel, 'Yes, I am.', { messageId });
      await world().reads('Yes, I am.', log());
      await page.getByText('Writing…').waitFor({ state: 'detached' });
      expect(await page.getByText('Yes, I', { exact: false }).count()).toBe(1);
    });

    it('takes a file to the agent', async () => {
      const { page } = world();
      const agent = await world().agent('local');
      await page
        .locator('input[type=file]')
        .setInputFiles({ name: 'notes.bin', mimeType: 'application/octet-stream', buffer: UP });
      await world().reads(/ · ready$/);
      await world().button('Send').click();
      const { files } = await agent.messages.next((message) => message.files.length === 1, 'a message with a file');
      expect(files[0]).toMatchObject({ filename: 'notes.bin', byte_size: UP.length });
      expect((await agent.files.download(files[0] ?? {})).equals(UP)).toBe(true);
    });

    it('brings one from the agent', async () => {
      const { page, product } = world();
      const agent = await world().agent('local');
      const file = await agent.files.upload(channel, { filename: 'report.bin', content: DOWN });
      await agent.say(channel, 'Here it is.', { files: [{ type: 'file', file_ref: file['file_ref'] }] });
      await world().reads('Here it is.', log());
      const saved = await product.save(() => page.getByRole('link', { name: 'Save report.bin' }).click());
      expect(saved.equals(DOWN)).toBe(true);
    });
  });
};
