import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.js';
import { DEFAULT_PREFERENCES, type UpdateFacts } from '../bridge/index.js';
import { NetworkWatch } from './network-watch.js';
import { readPreferences } from './preference-values.js';
import { Quit, QUIT_DEADLINE_MS } from './quit.js';
import { hasTrayHost, type Ask } from './tray-host.js';
import { TrayWatch } from './tray-watch.js';
import { updateFeed, Updates, type Updater } from './updates.js';
import { visibleBounds } from './window-bounds.js';

describe('kept preferences', () => {
  it('that are damaged cost themselves and nothing else', () => {
    expect(readPreferences({ language: 'zh', theme: 'pink', notifySignIn: 'yes', more: 1 })).toEqual({
      ...DEFAULT_PREFERENCES,
      language: 'zh',
    });
    for (const kept of [undefined, null, 'x', [], 7]) expect(readPreferences(kept)).toEqual(DEFAULT_PREFERENCES);
  });
});

describe('the place of a window', () => {
  const screen = { x: 0, y: 0, width: 1280, height: 800 };

  it('is where it was, unless it can’t be seen or taken hold of there', () => {
    const kept = { x: 100, y: 100, width: 700, height: 500 };
    expect(visibleBounds(kept, [screen])).toEqual(kept);
    expect(visibleBounds({ ...kept, x: 1270 }, [screen])).toBeUndefined();
    expect(visibleBounds({ ...kept, y: 790 }, [screen])).toBeUndefined();
    expect(visibleBounds({ ...kept, y: -200 }, [screen])).toBeUndefined();
    expect(visibleBounds({ ...kept, x: 1270 }, [screen, { ...screen, x: 1280 }])).toBeDefined();
    expect(visibleBounds(undefined, [screen])).toBeUndefined();
  });

  it('is at least as large as the layout needs', () => {
    expect(visibleBounds({ x: 0, y: 0, width: 10, height: 10 }, [screen])).toMatchObject({ width: 360, height: 480 });
  });
});

describe('whether the desktop has a tray', () => {
  const env = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/x', DISPLAY: ':0' };
  const parts = (ask: Ask, over: object = {}) => ({
    platform: 'linux' as const,
    env,
    askBus: async () => 'unreachable' as const,
    ask,
    hasXembed: () => Promise.resolve(false),
    ...over,
  });

  it('is what the bus says', async () => {
    const none: Ask = () => Promise.reject(new Error('a program was asked'));
    for (const told of [true, false]) {
      expect(await hasTrayHost(parts(none, { askBus: async () => told }))).toBe(told);
    }
    expect(await hasTrayHost(parts(none, { askBus: async () => 'late' }))).toBeUndefined();
  });

  it('is what the bus says, asked with the first program that is there, where it can’t be reached', async () => {
    const asked: string[] = [];
    const answer =
      (printed: string): Ask =>
      async (program) => {
        asked.push(program);
        return program === 'dbus-send' ? 'missing' : { printed };
      };
    expect(await hasTrayHost(parts(answer('(<true>,)')))).toBe(true);
    expect(asked).toEqual(['dbus-send', 'gdbus']);
    expect(await hasTrayHost(parts(answer('Error: no such name')))).toBe(false);
  });

  it('is not known while the bus does not answer', async () => {
    expect(await hasTrayHost(parts(async () => 'late'))).toBeUndefined();
  });

  it('is also a tray of the older kind', async () => {
    const none: Ask = async () => 'missing';
    expect(await hasTrayHost(parts(none, { hasXembed: async (display: string) => display === ':0' }))).toBe(true);
    expect(await hasTrayHost(parts(none, { env: {} }))).toBe(false);
  });

  it('is certain on other systems', async () => {
    expect(await hasTrayHost(parts(async () => 'missing', { platform: 'darwin' }))).toBe(true);
  });

  it('is looked at again, and told when it changes; without an answer it is as it was', async () => {
    const clock = new ManualClock();
    const answers: (boolean | undefined)[] = [false, undefined, true, undefined, true];
    const told: string[] = [];
    const watch = new TrayWatch({ clock, look: async () => answers.shift(), changed: (tray) => told.push(tray) });
    expect(await watch.look()).toBe('none');
    expect(await watch.look()).toBe('none');
    expect(await watch.look()).toBe('shown');
    expect(await watch.look()).toBe('shown');
    expect(told).toEqual(['shown']);
  });
});

describe('the network', () => {
  it('is told of when it goes, comes and changes, and not otherwise', () => {
    const clock = new ManualClock();
    let addresses = ['10.0.0.2'];
    const told: boolean[] = [];
    const watch = new NetworkWatch({ clock, addresses: () => addresses, changed: (online) => told.push(online) });
    expect(watch.online).toBe(true);
    watch.look();
    addresses = [];
    watch.look();
    addresses = ['10.0.0.2'];
    watch.look();
    addresses = ['192.168.1.7'];
    watch.look();
    expect(told).toEqual([false, true, true]);
    watch.stop();
  });
});

describe('the way out', () => {
  function quitting(drain: () => Promise<void>) {
    const clock = new ManualClock();
    const codes: number[] = [];
    let asked: (event: { preventDefault(): void }) => void = () => undefined;
    const app = {
      on: (_name: string, fn: typeof asked) => (asked = fn),
      exit: (code: number) => codes.push(code),
      quit: () => undefined,
    };
    const quit = new Quit({ app: app as never, clock, drain });
    return { quit, clock, codes, ask: (event: { preventDefault(): void }) => asked(event) };
  }

  it('drains first, whoever asks, and only once', async () => {
    let drained = 0;
    const { quit, codes, ask } = quitting(async () => void (drained += 1));
    let held = 0;
    ask({ preventDefault: () => (held += 1) });
    quit.begin(0);
    await quit.drain();
    await expect.poll(() => codes).toContain(0);
    expect([drained, held]).toEqual([1, 1]);
    ask({ preventDefault: () => (held += 1) });
    expect(held).toBe(1);
  });

  it('is out in time whatever hangs, and whatever fails', async () => {
    const hanging = quitting(() => new Promise(() => undefined));
    hanging.quit.begin(0);
    await hanging.clock.advance(QUIT_DEADLINE_MS);
    await expect.poll(() => hanging.codes).toEqual([0]);
    const failing = quitting(() => Promise.reject(new Error('no')));
    failing.quit.begin(1);
    await expect.poll(() => failing.codes).toEqual([1]);
  });
});

describe('updates (E16)', () => {
  it('have a feed only where the build wrote one with an https address', () => {
    const folder = mkdtempSync(join(tmpdir(), 'xcd-feed-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const feed = () => updateFeed(folder, (file) => readFileSync(file, 'utf8'));
    expect(feed()).toBeUndefined();
    const write = (text: string) => writeFileSync(join(folder, 'app-update.yml'), text);
    write('provider: generic\nurl: http://updates.example/x\n');
    expect(feed()).toBeUndefined();
    write('provider: generic\nurl: https://updates.example/x\n');
    expect(feed()).toBeDefined();
  });

  function updates(configured: boolean) {
    const listeners = new Map<string, (value: unknown) => void>();
    const facts: UpdateFacts[] = [];
    const done: string[] = [];
    const updater = {
      allowDowngrade: true,
      on: (name: string, fn: (value: unknown) => void) => listeners.set(name, fn),
      checkForUpdates: async () => void done.push('looked'),
      quitAndInstall: () => done.push('installed'),
    };
    const loads: number[] = [];
    const subject = new Updates({
      clock: new ManualClock(),
      configured,
      load: async () => {
        loads.push(1);
        return updater as unknown as Updater;
      },
      log: () => undefined,
      changed: (now) => facts.push(now),
      prepareToQuit: async () => void done.push('drained'),
    });
    return { subject, updater, listeners, facts, done, loads };
  }

  it('are off without one: nothing is loaded and nothing asked', async () => {
    const { subject, loads, done } = updates(false);
    expect(subject.facts).toEqual({ status: 'off' });
    await subject.look();
    expect([loads, done]).toEqual([[], []]);
    expect(await subject.install()).toBe(false);
  });

  it('never go back to an older version, and install only after everything was stopped', async () => {
    const { subject, updater, listeners, facts, done } = updates(true);
    await subject.look();
    expect(updater.allowDowngrade).toBe(false);
    expect(await subject.install()).toBe(false);
    listeners.get('update-available')!({ version: '2.0.0' });
    listeners.get('update-downloaded')!({ version: '2.0.0' });
    expect(facts).toEqual([
      { status: 'downloading', version: '2.0.0' },
      { status: 'ready', version: '2.0.0' },
    ]);
    expect(await subject.install()).toBe(true);
    expect(done).toEqual(['looked', 'drained', 'installed']);
  });

  it('that fail say so by a code and keep the address to themselves', async () => {
    const { subject, listeners } = updates(true);
    await subject.look();
    listeners.get('error')!(new Error('https://updates.example/secret'));
    expect(subject.facts).toEqual({ status: 'failed', code: 'update_failed' });
    subject.stop();
  });
});
