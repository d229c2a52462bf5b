import { expect, test } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.js';
import type { AccountFacts } from '../connector/connector.js';
import { PULSE_MINUTES, PulseBoard } from './pulse.js';

const MINUTE = 60_000;

interface Setup {
  readonly clock: ManualClock;
  readonly board: PulseBoard;
  readonly account: { state: AccountFacts['state']; lastRoundTripAt: number | undefined };
  /** Completes a round trip every `everyMs`, for `ms`. */
  readonly answered: (everyMs: number, ms: number) => Promise<void>;
  readonly pulse: () => string;
  readonly changes: () => number;
  readonly leave: () => void;
}

function setUp(): Setup {
  const clock = new ManualClock();
  const account: Setup['account'] = { state: { status: 'connected', since: 0 }, lastRoundTripAt: undefined };
  let present = true;
  let changes = 0;
  const facts = (): AccountFacts => ({
    accountId: 'acc_1',
    identity: 'x',
    displayName: 'x',
    accountHint: 'x',
    channelId: undefined,
    agentConnected: false,
    deliverTo: 'xagent',
    ownDeliverTo: undefined,
    replyWindow: undefined,
    createdAt: 0,
    ...account,
  });
  const board = new PulseBoard({
    clock,
    accounts: () => (present ? [facts()] : []),
    changed: () => (changes += 1),
  });
  return {
    clock,
    board,
    account,
    async answered(everyMs, ms) {
      for (let passed = 0; passed < ms; passed += everyMs) {
        account.lastRoundTripAt = clock.now();
        await clock.advance(everyMs);
      }
    },
    pulse: () => board.of('acc_1').replace(/^-+/, ''),
    changes: () => changes,
    leave: () => (present = false),
  };
}

test('a pulse has one letter a minute for half an hour, and none for an account that is not there', async () => {
  const { board, answered, pulse, leave, clock, changes } = setUp();
  expect(board.of('acc_1')).toHaveLength(PULSE_MINUTES);
  expect(board.of('acc_other')).toBe('-'.repeat(PULSE_MINUTES));
  await answered(30_000, 40 * MINUTE);
  expect(pulse()).toBe('a'.repeat(PULSE_MINUTES));
  expect(changes()).toBe(40);
  leave();
  await clock.advance(MINUTE);
  expect(board.of('acc_1')).toBe('-'.repeat(PULSE_MINUTES));
  board.close();
  expect(clock.timers).toBe(0);
});

test('deafness shows within two minutes of the last round trip, before the account is called offline', async () => {
  const { answered, pulse, clock } = setUp();
  await answered(30_000, 5 * MINUTE);
  await clock.advance(3 * MINUTE);
  expect(pulse()).toMatch(/^a{5}n{3,4}$/);
});

test('a network that is known to answer every two minutes only is not called deaf between its answers', async () => {
  const { answered, pulse } = setUp();
  await answered(2 * MINUTE, 20 * MINUTE);
  // The first pause is not known yet; from then on it is.
  expect(pulse()).toMatch(/^a[an][al]a+$/);
});

test('the first answer after a break is late, and what follows is on time', async () => {
  const { account, answered, pulse, clock } = setUp();
  await answered(30_000, 2 * MINUTE);
  account.state = { status: 'offline', code: 'timeout', since: 0 };
  await clock.advance(4 * MINUTE);
  account.state = { status: 'connected', since: 0 };
  await answered(30_000, 2 * MINUTE);
  expect(pulse()).toMatch(/^aan{3,4}la+$/);
});

test('time asleep is a gap and no failure, whichever clock noticed it', async () => {
  const asleep = setUp();
  await asleep.answered(30_000, 3 * MINUTE);
  // The monotonic clock stood still, the wall clock went on.
  asleep.clock.skip(10 * MINUTE);
  asleep.board.wake();
  expect(asleep.pulse()).toMatch(/^aaa[as]s{9,10}$/);
  await asleep.answered(30_000, 2 * MINUTE);
  expect(asleep.pulse()).toMatch(/^aaa[as]s{8,10}aa+$/);
});

test.each([-60, 60])('a wall clock that is set by %i minutes disturbs nothing', async (minutes) => {
  const { answered, pulse, clock } = setUp();
  await answered(30_000, 3 * MINUTE);
  clock.jumpWall(minutes * MINUTE);
  await answered(30_000, 3 * MINUTE);
  expect(pulse()).toMatch(/^a{6,7}$/);
});
