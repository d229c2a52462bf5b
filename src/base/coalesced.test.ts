import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Coalesced } from './coalesced.js';

it('runs once after the turn in which many asked, and again when asked later', async () => {
  let runs = 0;
  const call = new Coalesced(() => (runs += 1));
  for (let asked = 0; asked < 3; asked += 1) call.request();
  expect(runs).toBe(0);
  await nextTurn();
  expect(runs).toBe(1);
  call.request();
  await nextTurn();
  expect(runs).toBe(2);
});

it('when it is asked for while it runs, runs once more', async () => {
  let runs = 0;
  const call: Coalesced = new Coalesced(() => {
    runs += 1;
    if (runs === 1) call.request();
  });
  call.request();
  await nextTurn();
  await nextTurn();
  expect(runs).toBe(2);
});

it('when it is cancelled in time, does not run, and may be asked for again', async () => {
  let runs = 0;
  const call = new Coalesced(() => (runs += 1));
  call.request();
  call.cancel();
  await nextTurn();
  expect(runs).toBe(0);
  call.request();
  await nextTurn();
  expect(runs).toBe(1);
});
