import { describe, expect, it } from 'vitest';
import { ManualClock, settle } from '../../../test/support/manual-clock.js';
import { KeychainClient, WORKER_IDLE_MS } from './keychain-client.js';
import { isKeychainRequest, type KeychainRequest } from './keychain-messages.js';
import { SecretStoreError } from './secret-store.js';
import type { KeychainWorker } from './spawn-worker.js';

const DEADLINE_MS = 5000;

/** A worker that does nothing by itself: the test answers, or lets it crash. */
class ScriptedWorker implements KeychainWorker {
  readonly received: KeychainRequest[] = [];
  killed = false;
  keepsParentAlive = true;
  #tell: (message: unknown) => void = () => undefined;
  #gone: () => void = () => undefined;

  post(message: unknown): void {
    if (isKeychainRequest(message)) this.received.push(message);
  }
  onMessage(listener: (message: unknown) => void): void {
    this.#tell = listener;
  }
  onExit(listener: () => void): void {
    this.#gone = listener;
  }
  kill(): void {
    this.killed = true;
  }
  keepParentAlive(keep: boolean): void {
    this.keepsParentAlive = keep;
  }

  say(message: unknown): void {
    this.#tell(message);
  }
  /** Answers the oldest request it was given and has not answered. */
  answer(value: string | null): void {
    const request = this.received.shift();
    this.say({ id: request?.id, ok: true, value });
  }
  crash(): void {
    this.#gone();
  }
}

function setUp(): {
  clock: ManualClock;
  client: KeychainClient;
  workers: ScriptedWorker[];
  outcome: (p: Promise<unknown>) => Outcome;
} {
  const clock = new ManualClock();
  const workers: ScriptedWorker[] = [];
  const spawn = (): KeychainWorker => {
    const worker = new ScriptedWorker();
    workers.push(worker);
    return worker;
  };
  const client = new KeychainClient({ spawn, clock, deadlineMs: DEADLINE_MS });
  return { clock, client, workers, outcome };
}

interface Outcome {
  now: unknown;
}

/** What a promise has become so far: `pending`, its value, or its error as `state: code`. */
function outcome(promise: Promise<unknown>): Outcome {
  const result: Outcome = { now: 'pending' };
  promise.then(
    (value) => (result.now = value),
    (error: unknown) => (result.now = error instanceof SecretStoreError ? `${error.state}: ${error.code}` : error),
  );
  return result;
}

const get = (account: string): { call: 'get'; account: string; probeAccount: string } => ({
  call: 'get',
  account,
  probeAccount: 'p',
});

describe('calls to the keychain’s process', () => {
  it('start it when the first is made, and keep this process alive only while one waits', async () => {
    const { client, workers } = setUp();
    expect(workers).toHaveLength(0);
    const first = client.call(get('a'));
    expect(workers).toHaveLength(1);
    expect(workers[0]?.keepsParentAlive).toBe(true);
    workers[0]?.answer('secret');
    expect(await first).toBe('secret');
    expect(workers[0]?.keepsParentAlive).toBe(false);
    const second = client.call(get('b'));
    expect(workers).toHaveLength(1);
    expect(workers[0]?.keepsParentAlive).toBe(true);
    workers[0]?.answer(null);
    expect(await second).toBeNull();
  });

  it('reject with what the keychain said of itself', async () => {
    const { client, workers } = setUp();
    const call = outcome(client.call(get('a')));
    workers[0]?.say({ id: 1, ok: false, state: 'locked', code: 'keychain_locked' });
    await settle();
    expect(call.now).toBe('locked: keychain_locked');
  });

  it('that fail are asked once more by a fresh process: the one before may know only a keychain that has ended', async () => {
    const { client, workers } = setUp();
    const [call, other] = [outcome(client.call(get('a'))), outcome(client.call(get('b')))];
    const failure = { id: 1, ok: false, state: 'failed', code: 'keychain_error' };
    workers[0]?.say(failure);
    expect([workers.length, workers[0]?.killed]).toEqual([2, true]);
    expect(workers[1]?.received).toMatchObject([{ account: 'a' }, { account: 'b' }]);
    workers[1]?.say(failure);
    workers[1]?.say({ id: 2, ok: true, value: 'b' });
    await settle();
    expect([call.now, other.now, workers.length]).toEqual(['failed: keychain_error', 'b', 2]);
  });

  it('that hang are ended at the deadline, with the process, and the next call has a fresh one', async () => {
    const { clock, client, workers } = setUp();
    const hanging = outcome(client.call(get('a')));
    await clock.advance(DEADLINE_MS - 1);
    expect([hanging.now, workers[0]?.killed]).toEqual(['pending', false]);
    await clock.advance(1);
    expect([hanging.now, workers[0]?.killed]).toEqual(['failed: timeout', true]);
    const next = client.call(get('b'));
    expect(workers).toHaveLength(2);
    workers[1]?.answer('b');
    expect(await next).toBe('b');
  });

  it('that wait behind a hanging one are asked again, in order, and keep their own deadlines', async () => {
    const { clock, client, workers } = setUp();
    const hanging = outcome(client.call(get('a')));
    await clock.advance(1000);
    const second = outcome(client.call({ call: 'set', account: 'b', value: '1' }));
    const third = outcome(client.call(get('b')));
    await clock.advance(DEADLINE_MS - 1000);
    expect(hanging.now).toBe('failed: timeout');
    expect(workers[1]?.received.map(({ call }) => call)).toEqual(['set', 'get']);
    workers[1]?.answer(null);
    await settle();
    expect([second.now, third.now]).toEqual([null, 'pending']);
    await clock.advance(1000);
    expect(third.now).toBe('failed: timeout');
  });

  it('are not answered by a process that was given up', async () => {
    const { clock, client, workers } = setUp();
    outcome(client.call(get('a')));
    const later = outcome(client.call(get('b')));
    await clock.advance(DEADLINE_MS);
    const again = outcome(client.call(get('c')));
    workers[0]?.say({ id: 3, ok: true, value: 'of another time' });
    await settle();
    expect([later.now, again.now]).toEqual(['failed: timeout', 'pending']);
  });

  it('survive one crash of the process, and give up at the second', async () => {
    const { client, workers } = setUp();
    const call = outcome(client.call(get('a')));
    workers[0]?.crash();
    expect(workers).toHaveLength(2);
    workers[1]?.crash();
    await settle();
    expect(workers).toHaveLength(2);
    expect(call.now).toBe('failed: keychain_worker_failed');
  });

  it('are rejected when no process can be started', async () => {
    const client = new KeychainClient({
      clock: new ManualClock(),
      deadlineMs: DEADLINE_MS,
      spawn: () => {
        throw new Error('EAGAIN');
      },
    });
    await expect(client.call(get('a'))).rejects.toMatchObject({ code: 'keychain_worker_failed' });
  });

  it('ignore what is no reply', async () => {
    const { client, workers } = setUp();
    const call = outcome(client.call(get('a')));
    for (const nonsense of [undefined, 'x', {}, { id: 1 }, { id: 1, ok: true, value: 7 }, { id: 1, ok: false }]) {
      workers[0]?.say(nonsense);
    }
    await settle();
    expect(call.now).toBe('pending');
  });

  it('let the process go after a while without any', async () => {
    const { clock, client, workers } = setUp();
    const first = client.call(get('a'));
    workers[0]?.answer('a');
    await first;
    await clock.advance(WORKER_IDLE_MS - 1);
    const second = client.call(get('b'));
    workers[0]?.answer('b');
    await second;
    await clock.advance(WORKER_IDLE_MS - 1);
    expect(workers[0]?.killed).toBe(false);
    await clock.advance(1);
    expect(workers[0]?.killed).toBe(true);
    expect(clock.timers).toBe(0);
  });

  it('are refused after closing, which ends the process and what waits', async () => {
    const { clock, client, workers } = setUp();
    const waiting = outcome(client.call(get('a')));
    client.close();
    await settle();
    expect([waiting.now, workers[0]?.killed, clock.timers]).toEqual(['failed: closed', true, 0]);
    await expect(client.call(get('b'))).rejects.toMatchObject({ code: 'closed' });
  });
});
