import { beforeEach, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { MemoryIntake } from '../../../test/support/target-rig.js';
import { Conversation, REPLIES_PER_MESSAGE } from './conversation.js';
import { newSealKey } from './sealed.js';

const clock = new ManualClock();
const sealKey = newSealKey();
const opening = (id: string, contextToken?: string) => ({ id, contextToken, sentAt: clock.now() });

let intake: MemoryIntake;
let conversation: Conversation;

beforeEach(() => {
  intake = new MemoryIntake();
  conversation = new Conversation({ userId: 'u', clock, intake, sealKey });
  conversation.renew([opening('wx:1', 'first')]).apply();
});

it.each([
  ['delivered again', opening('wx:1', 'second'), 'second'],
  ['without a token', opening('wx:2'), 'first'],
])('a message %s gives back no reply that was counted while it was stored', async (_, message, token) => {
  const renewal = conversation.renew([message]);
  await conversation.exhausted();
  renewal.apply();
  expect(conversation.window().remaining).toBe(0);
  expect(conversation.contextToken).toBe(token);
});

it('a new message renews the right once, for a program that starts again too', async () => {
  let renewed = 0;
  conversation.onRenewed(() => (renewed += 1));
  await conversation.exhausted();
  const renewal = conversation.renew([opening('wx:2', 'second'), opening('wx:2', 'third')]);
  await intake.commit({ consumer: conversation.consumer, state: renewal.state, messages: [] });
  renewal.apply();
  conversation.renew([opening('wx:2', 'fourth')]).apply();
  expect(renewed).toBe(1);
  expect(conversation.window().remaining).toBe(REPLIES_PER_MESSAGE);
  const restarted = new Conversation({ userId: 'u', clock, intake, sealKey });
  expect(restarted.window()).toEqual(conversation.window());
  expect(restarted.contextToken).toBe('third');
});
