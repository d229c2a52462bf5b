import { expect, it } from 'vitest';
import { MemoryIntake } from '../../../test/support/target-rig.js';
import { QuoteCache } from './quotes.js';
import { newSealKey } from './sealed.js';

const CONSUMER = 'wechat/u';

it('what is remembered while something else is being written takes no place of it, for a program that starts again too', async () => {
  const intake = new MemoryIntake();
  const sealKey = newSealKey();
  const quotes = new QuoteCache(intake, CONSUMER, sealKey);
  const batch = quotes.remember([{ ids: ['in/1'], text: 'how are you' }]);
  const reply = quotes.remember([{ ids: ['out/1'], text: 'fine' }]);
  for (const { state } of [batch, reply]) await intake.commit({ consumer: CONSUMER, state, messages: [] });
  reply.apply();
  batch.apply();
  for (const known of [quotes, new QuoteCache(intake, CONSUMER, sealKey)]) {
    expect(known.text('in/1')).toBe('how are you');
    expect(known.text('out/1')).toBe('fine');
  }
});
