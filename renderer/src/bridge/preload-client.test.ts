import { afterEach, expect, it, vi } from 'vitest';
import type { WindowApi, WindowState } from '../../../src/bridge/index.js';
import { PreloadClient } from './preload-client.js';

const stopping = (since: number): WindowState => ({ host: { stage: 'stopping', since } }) as WindowState;

afterEach(() => vi.useRealTimers());

function setUp(state: () => Promise<WindowState>) {
  let push: (state: WindowState) => void = () => undefined;
  const api = {
    state: vi.fn(state),
    onState: (fn: typeof push) => {
      push = fn;
      return () => undefined;
    },
  };
  const client = new PreloadClient(api as unknown as WindowApi);
  return { api, client, push: (next: WindowState) => push(next) };
}

it('asks for the first state again when it was refused: a window without one stays empty', async () => {
  vi.useFakeTimers();
  let refusals = 2;
  const { api, client } = setUp(() =>
    refusals-- > 0 ? Promise.reject(new Error('this page may not ask')) : Promise.resolve(stopping(1)),
  );
  await vi.advanceTimersByTimeAsync(400);
  expect(client.view()).toEqual({ kind: 'loading' });
  await vi.advanceTimersByTimeAsync(1000);
  expect(client.view()).toEqual({ kind: 'ready', state: stopping(1) });
  await vi.advanceTimersByTimeAsync(5000);
  expect(api.state).toHaveBeenCalledTimes(3);
});

it('keeps a state that was pushed before the first one was there, and asks no more', async () => {
  vi.useFakeTimers();
  const { api, client, push } = setUp(() => Promise.reject(new Error('this page may not ask')));
  await vi.advanceTimersByTimeAsync(100);
  push(stopping(2));
  await vi.advanceTimersByTimeAsync(5000);
  expect(client.view()).toEqual({ kind: 'ready', state: stopping(2) });
  expect(api.state).toHaveBeenCalledTimes(1);
});
