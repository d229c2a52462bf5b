import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseConfig, readConfig } from './config.js';
import { effectiveConfig } from './effective-config.js';
import { readSettings, SETTINGS_FILE, writeSettings } from './settings.js';
import { SettingsKeeper } from './settings-keeper.js';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'settings-'));
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('settings', () => {
  test('are empty until something is chosen, and a change leaves what it does not name', async () => {
    expect(readSettings(join(dir, 'nowhere'))).toEqual({ settings: {}, damaged: undefined });
    expect(existsSync(join(dir, 'nowhere'))).toBe(false);
    await Promise.all([writeSettings(dir, { port: 19_081 }), writeSettings(dir, { allowedHosts: ['box.example'] })]);
    await writeSettings(dir, { secretStore: 'file' });
    expect(readSettings(dir).settings).toEqual({ port: 19_081, allowedHosts: ['box.example'], secretStore: 'file' });
    expect(statSync(join(dir, SETTINGS_FILE)).mode & 0o077).toBe(0);
  });

  test.each([
    ['not_json', '{"port": 19'],
    ['wrong_shape', '{"port": "19081"}'],
    ['wrong_shape', '{"port": 0}'],
    ['wrong_shape', '{"allowedHosts": ["http://x/"]}'],
    ['wrong_shape', '{"apiKey": "x"}'],
    ['wrong_shape', '[]'],
  ])('that are damaged (%s) are not believed, and are kept aside once something is chosen', async (reason, text) => {
    writeFileSync(join(dir, SETTINGS_FILE), text);
    expect(readSettings(dir)).toEqual({ settings: {}, damaged: reason });
    expect(readFileSync(join(dir, SETTINGS_FILE), 'utf8')).toBe(text);
    await writeSettings(dir, { port: 19_082 });
    expect(readSettings(dir)).toEqual({ settings: { port: 19_082 }, damaged: undefined });
    const aside = readdirSync(dir).find((name) => name.startsWith(`${SETTINGS_FILE}.damaged-`)) ?? '';
    expect(readFileSync(join(dir, aside), 'utf8')).toBe(text);
  });
});

describe('what counts', () => {
  test('is the flag before the settings, the settings before the file, the file before the defaults', () => {
    const file = join(dir, 'config.json');
    writeFileSync(file, JSON.stringify({ server: { port: 1_111, allowedHosts: ['a.example'] } }));
    const read = readConfig(file);
    expect(effectiveConfig(read, {})).toMatchObject({
      config: { server: { port: 1_111, allowedHosts: ['a.example'] }, secrets: { store: 'keychain' } },
      sources: { port: 'config', allowedHosts: 'config', secretStore: 'default' },
    });
    const settings = { port: 2_222, allowedHosts: [], secretStore: 'file' as const };
    expect(effectiveConfig(read, settings, { port: 0 })).toMatchObject({
      config: { server: { port: 0, allowedHosts: [] }, secrets: { store: 'file' } },
      sources: { port: 'flag', allowedHosts: 'settings', secretStore: 'settings' },
    });
    expect(effectiveConfig({ config: parseConfig({}), given: new Set() }, settings).sources.port).toBe('settings');
  });

  test('is still the flag when another setting was chosen, until the port itself is', async () => {
    const read = { config: parseConfig({}), given: new Set<string>() };
    const keeper = new SettingsKeeper({
      dataDir: dir,
      read,
      effective: effectiveConfig(read, {}, { port: 1_111 }),
      port: { port: 1_111, move: (_port, keep) => keep() },
      server: { allowHosts: () => undefined },
      hasAccounts: false,
      changed: () => undefined,
    });
    await keeper.change({ allowedHosts: ['box.example'] });
    expect(keeper.effective).toMatchObject({
      config: { server: { port: 1_111, allowedHosts: ['box.example'] } },
      sources: { port: 'flag', allowedHosts: 'settings' },
    });
    await keeper.change({ port: 2_222 });
    expect(keeper.effective).toMatchObject({ config: { server: { port: 2_222 } }, sources: { port: 'settings' } });
  });
});

describe('the first start', () => {
  const keeper = (hasAccounts: boolean): SettingsKeeper => {
    const read = { config: parseConfig({}), given: new Set<string>() };
    return new SettingsKeeper({
      dataDir: dir,
      read,
      effective: effectiveConfig(read, {}),
      port: { port: 1_111, move: (_port, keep) => keep() },
      server: { allowHosts: () => undefined },
      hasAccounts,
      changed: () => undefined,
    });
  };

  test('begins where nobody is signed in, and is nothing for who has accounts already', () => {
    expect([keeper(false).onboarding, keeper(true).onboarding]).toEqual(['tray', 'done']);
  });

  test('goes on where it was left, whoever signed in meanwhile', async () => {
    await keeper(false).setOnboarding('agent');
    expect(keeper(true).onboarding).toBe('agent');
    await keeper(true).change({ allowedHosts: ['box.example'] });
    expect(keeper(true).onboarding).toBe('agent');
  });

  test('stays where it was when the disk refuses', async () => {
    const settings = keeper(false);
    rmSync(dir, { recursive: true });
    writeFileSync(dir, 'no folder');
    await expect(settings.setOnboarding('done')).rejects.toThrow();
    expect(settings.onboarding).toBe('tray');
  });
});
