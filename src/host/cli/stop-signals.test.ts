import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { stopSignal } from './stop-signals.js';

function setUp() {
  const source = new EventEmitter();
  const clock = new ManualClock();
  const cut: true[] = [];
  const stopped = stopSignal(source, clock, () => cut.push(true));
  return { source, clock, cut, stopped };
}

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('%s stops the program', async (signal) => {
  const { source, cut, stopped } = setUp();
  source.emit(signal);
  await stopped;
  expect(cut).toEqual([]);
});

test('one Ctrl-C that arrives by several ways is one', async () => {
  const { source, clock, cut, stopped } = setUp();
  source.emit('SIGINT');
  source.emit('SIGINT');
  await clock.advance(5);
  source.emit('SIGINT');
  await clock.advance(900);
  source.emit('SIGTERM');
  await stopped;
  expect(cut).toEqual([]);
});

test('a person who asks again a second later is taken at their word', async () => {
  const { source, clock, cut } = setUp();
  source.emit('SIGINT');
  await clock.advance(1_000);
  source.emit('SIGINT');
  expect(cut).toEqual([true]);
});
