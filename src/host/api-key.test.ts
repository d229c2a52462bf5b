import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.js';
import { SecretStoreError, type SecretStore, type SecretStoreState } from '../store/secrets/secret-store.js';
import { ApiKeyKeeper } from './api-key.js';
import type { ApiKeyRecord } from './api-key-record.js';
import { SecretRegistry } from './secret-registry.js';
import { watchedSecretStore } from './watched-secret-store.js';

class Store implements SecretStore {
  readonly kind = 'keychain';
  readonly entries = new Map<string, string>();
  state: SecretStoreState = { state: 'ready' };
  probes = 0;

  async probe(): Promise<SecretStoreState> {
    this.probes += 1;
    return this.state;
  }

  async get(name: string): Promise<string | undefined> {
    return this.entries.get(name);
  }

  async set(name: string, value: string): Promise<void> {
    if (this.state.state !== 'ready') throw new SecretStoreError(this.state.state, this.state.code, 'not now');
    this.entries.set(name, value);
  }

  async delete(name: string): Promise<void> {
    this.entries.delete(name);
  }

  async close(): Promise<void> {}
}

/** When keys were made, for as long as a test runs. */
class Record implements ApiKeyRecord {
  readonly #made = new Map<string, number>();

  createdAt(key: string): number | undefined {
    return this.#made.get(key);
  }

  async made(key: string, at: number): Promise<void> {
    this.#made.set(key, at);
  }
}

function setUp(options: { configured?: string; store?: Store; record?: Record } = {}) {
  const clock = new ManualClock();
  const secrets = options.store ?? new Store();
  const record = options.record ?? new Record();
  const warnings: string[] = [];
  const told: boolean[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) });
  const keeper = new ApiKeyKeeper({
    configured: options.configured ?? null,
    secrets,
    registry: new SecretRegistry(),
    record,
    clock,
    log,
    random: () => 0,
    changed: (ready) => void told.push(ready),
  });
  return { clock, secrets, keeper, warnings, told, record };
}

describe('the key', () => {
  test('is made of 256 random bits at the first start and found again at the next', async () => {
    const { keeper, secrets } = setUp();
    await keeper.check();
    const key = keeper.require();
    expect(Buffer.from(key, 'base64url')).toHaveLength(32);
    const next = setUp({ store: secrets });
    await next.keeper.check();
    expect(next.keeper.current()).toBe(key);
  });

  test('of the configuration goes before the stored one, needs no secret store and is not rotated here', async () => {
    const { keeper, secrets } = setUp({ configured: 'configured-key' });
    secrets.state = { state: 'absent', code: 'keychain_absent' };
    await keeper.check();
    expect(keeper.current()).toBe('configured-key');
    await expect(keeper.rotate()).rejects.toMatchObject({ code: 'api_key_configured' });
  });

  test('is new after a rotation, is kept, and its listeners hear of it', async () => {
    const { keeper, secrets } = setUp();
    await keeper.check();
    const old = keeper.require();
    let heard = 0;
    keeper.onRotate(() => (heard += 1));
    const fresh = await keeper.rotate();
    expect(fresh).not.toBe(old);
    expect([keeper.current(), secrets.entries.get('api-key')]).toEqual([fresh, fresh]);
    expect(heard).toBe(1);
  });

  test('is known by its end and by when it was made, also at the next start, and by neither when it is short', async () => {
    const { keeper, secrets, record, clock } = setUp();
    await keeper.check();
    const made = clock.now();
    const tail = keeper.require().slice(-4);
    expect(keeper.facts).toEqual({ tail, createdAt: made, configured: false });
    const next = setUp({ store: secrets, record });
    await next.clock.advance(60_000);
    await next.keeper.check();
    expect(next.keeper.facts).toEqual({ tail, createdAt: made, configured: false });
    await next.keeper.rotate();
    expect(next.keeper.facts).toMatchObject({ createdAt: next.clock.now() });
    // A database that knows nothing of the key says nothing of it.
    const elsewhere = setUp({ store: secrets });
    await elsewhere.keeper.check();
    expect(elsewhere.keeper.facts?.createdAt).toBeUndefined();
    expect(setUp({ configured: 'short-key' }).keeper.facts).toEqual({
      tail: '',
      createdAt: undefined,
      configured: true,
    });
  });

  test('stays the old one when the new one could not be kept', async () => {
    const { keeper, secrets } = setUp();
    await keeper.check();
    const old = keeper.require();
    secrets.state = { state: 'locked', code: 'keychain_locked' };
    await expect(keeper.rotate()).rejects.toMatchObject({ state: 'locked' });
    expect(keeper.current()).toBe(old);
  });
});

describe('a secret store that is locked', () => {
  test('after it was ready is seen at the next look, though the key in use goes on', async () => {
    const { keeper, secrets, clock, warnings, told } = setUp();
    await keeper.check();
    const key = keeper.require();
    secrets.state = { state: 'locked', code: 'keychain_locked' };
    await keeper.check();
    expect(keeper.state).toMatchObject({ state: 'locked', code: 'keychain_locked' });
    expect(warnings).toHaveLength(1);
    expect(keeper.require()).toBe(key);

    secrets.entries.clear();
    secrets.state = { state: 'ready' };
    await clock.advance(60_000);
    expect(keeper.state.state).toBe('ready');
    expect(keeper.require()).toBe(key);
    expect(told).toEqual([true, false, true]);
  });

  test('is noticed by a key that could not be kept', async () => {
    const { keeper, secrets } = setUp();
    await keeper.check();
    secrets.state = { state: 'locked', code: 'keychain_locked' };
    await expect(keeper.rotate()).rejects.toMatchObject({ state: 'locked' });
    await keeper.check();
    expect(keeper.state.state).toBe('locked');
  });

  test('is noticed by whoever uses it, and by nobody whose use went well', async () => {
    const store = new Store();
    let noticed = 0;
    const watched = watchedSecretStore(store, () => (noticed += 1));
    await watched.set('a', 'b');
    expect([await watched.get('a'), noticed]).toEqual(['b', 0]);
    store.state = { state: 'locked', code: 'keychain_locked' };
    await expect(watched.set('a', 'c')).rejects.toMatchObject({ code: 'keychain_locked' });
    expect(noticed).toBe(1);
  });

  test('is said once, asked again until it opens, and then everything goes on', async () => {
    const { keeper, secrets, clock, warnings, told } = setUp();
    secrets.state = { state: 'locked', code: 'keychain_locked' };
    await keeper.check();
    expect(keeper.current()).toBeUndefined();
    expect(() => keeper.require()).toThrow(/unlock the keychain/);
    await clock.advance(10 * 60_000);
    expect(secrets.probes).toBeGreaterThan(5);
    expect(warnings).toHaveLength(1);
    expect(keeper.state).toMatchObject({ state: 'locked', code: 'keychain_locked' });

    secrets.state = { state: 'ready' };
    await clock.advance(60_000);
    expect(keeper.current()).toBeDefined();
    expect(told).toEqual([false, true]);
    expect(clock.timers).toBe(0);
  });

  test('is asked at once after a wake', async () => {
    const { keeper, secrets } = setUp();
    secrets.state = { state: 'locked', code: 'keychain_locked' };
    await keeper.check();
    secrets.state = { state: 'ready' };
    void keeper.check();
    await expect.poll(() => keeper.current()).toBeDefined();
  });

  test('is not asked after the host closed', async () => {
    const { keeper, secrets, clock } = setUp();
    secrets.state = { state: 'absent', code: 'keychain_absent' };
    await keeper.check();
    keeper.close();
    await clock.advance(10 * 60_000);
    expect(secrets.probes).toBe(1);
  });
});
