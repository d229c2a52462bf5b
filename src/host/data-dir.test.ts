import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfig } from './config.js';
import { defaultDataDir, resolvePlaces } from './data-dir.js';

test('data lives where each platform keeps a program’s data', () => {
  expect(defaultDataDir('linux', {}, '/home/ada')).toBe('/home/ada/.local/share/xagent-connector');
  expect(defaultDataDir('linux', { XDG_DATA_HOME: '/data' }, '/home/ada')).toBe('/data/xagent-connector');
  expect(defaultDataDir('linux', { XDG_DATA_HOME: 'relative' }, '/home/ada')).toBe(
    '/home/ada/.local/share/xagent-connector',
  );
  expect(defaultDataDir('darwin', {}, '/Users/ada')).toBe('/Users/ada/Library/Application Support/xAgent Connector');
});

test('a config file in the data directory is found by itself, one that is named goes before it', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'host-places-'));
  try {
    expect(resolvePlaces({ dataDir })).toEqual({ dataDir, configFile: undefined });
    writeFileSync(join(dataDir, 'config.json'), '{}');
    expect(resolvePlaces({ dataDir }).configFile).toBe(join(dataDir, 'config.json'));
    expect(resolvePlaces({ dataDir, config: '/etc/x.json' }).configFile).toBe('/etc/x.json');
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});

test.runIf(process.platform !== 'win32')('a config file that is a link to nowhere is not taken for none', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'host-places-'));
  try {
    symlinkSync(join(dataDir, 'gone.json'), join(dataDir, 'config.json'));
    const { configFile } = resolvePlaces({ dataDir });
    expect(configFile).toBe(join(dataDir, 'config.json'));
    expect(() => readConfig(configFile)).toThrow("config.json can't be read (ENOENT)");
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});
