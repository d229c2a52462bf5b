import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { StopSignals } from './stop-signals.js';

function setUp() {
  const source = new EventEmitter();
  const clock = new ManualClock();
  const cut: true[] = [];
  const signals = new StopSignals(source, clock, () => cut.push(true));
  signals.listen();
  return { source, clock, cut, signals, stopped: signals.asked };
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

test('listening again hears each signal once, and knows what was asked before', async () => {
  const { source, clock, cut, signals } = setUp();
  expect(signals.isAsked).toBe(false);
  source.emit('SIGTERM');
  // As a library does that wants them for itself.
  source.removeAllListeners('SIGTERM');
  signals.listen();
  signals.listen();
  expect(signals.isAsked).toBe(true);
  await clock.advance(1_000);
  source.emit('SIGTERM');
  source.emit('SIGINT');
  expect(cut).toEqual([true, true]);
});
