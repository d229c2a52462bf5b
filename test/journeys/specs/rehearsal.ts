import { describe, expect, it } from 'vitest';
import type { Journey } from '../support/journeys.js';

/** A person lets an agent be played against their own server. */
export const rehearsal: Journey = (world) => {
  const steps = (word: string) =>
    world().page.getByRole('list', { name: 'Steps of the rehearsal' }).getByRole('listitem').filter({ hasText: word });

  describe('the rehearsal', () => {
    it('passes, step by step, beside the agents at work', async () => {
      await world().goTo('Agent');
      await world().button('Start').click();
      await world().reads(/^all 10 passed in /);
      expect(await steps(': passed').count()).toBe(10);
    });

    it('says while delivery is paused why it stops, and offers what helps', async () => {
      await world().button('Pause delivery').click();
      await world().reads('Messages are still received, and kept until they expire.');
      await world().button('Run again').click();
      await world().reads('stopped at step 6');
      await world().reads('Delivery is paused, so the message was kept and not offered.', steps(': failed'));
      await steps(': failed').getByRole('button', { name: 'Resume delivery' }).click();
      await world().button('Pause delivery').waitFor();
      await world().button('Run again').click();
      await world().reads(/^all 10 passed in /);
    });
  });
};
