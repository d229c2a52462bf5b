import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ConfigError, parseConfig, readConfig } from './config.js';

const folder = mkdtempSync(join(tmpdir(), 'host-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

function problemsOf(value: unknown): readonly string[] {
  try {
    parseConfig(value);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('defaults', () => {
  test('an empty file is the documented configuration', () => {
    const config = parseConfig({});
    expect(config.server).toEqual({
      host: '127.0.0.1',
      port: 19_080,
      apiKey: null,
      allowedHosts: [],
      allowedOrigins: [],
      maxPacketBytes: 4_194_304,
      helloTimeoutMs: 30_000,
      pingIntervalMs: 25_000,
    });
    expect(config.lease.graceMs).toBe(3_600_000);
    expect(config.files).toEqual({ maxUploadBytes: 104_857_600, ttlMs: 86_400_000, maxTotalBytes: 2_147_483_648 });
    expect(Object.keys(config.connectors)).toEqual(['wechat', 'telegram', 'feishu', 'xmpp', 'local']);
  });

  test('a given key keeps the defaults of its neighbours', () => {
    const config = parseConfig({ server: { port: 0 }, connectors: { telegram: { enabled: false } } });
    expect(config.server.helloTimeoutMs).toBe(30_000);
    expect(config.connectors.telegram).toMatchObject({ enabled: false, apiRoot: 'https://api.telegram.org' });
  });

  test.each([{ delivery: { retryMaxMs: 200 } }, { files: { maxTotalBytes: 1_000_000 } }])(
    '%j may be given alone, though the default below it is larger',
    (value) => {
      expect(parseConfig(value)).toMatchObject(value);
    },
  );

  test('an editor may name the schema', () => {
    expect(parseConfig({ $schema: './config.schema.json' })).toEqual(parseConfig({}));
  });

  test('two readings share no value', () => {
    const first = parseConfig({});
    first.server.allowedHosts.push('changed');
    expect(parseConfig({}).server.allowedHosts).toEqual([]);
  });
});

describe('refusals name the key by its full path', () => {
  test('every one of them, however many there are', () => {
    const sections = ['server', 'secrets', 'lease', 'delivery', 'ledger', 'deltas', 'activity', 'files', 'auth'];
    const wrong = Object.fromEntries(sections.map((name) => [name, { a: 1 }]));
    const problems = problemsOf({ ...wrong, log: { level: 'chatty' }, connectors: { slack: {} } });
    for (const name of sections) expect(problems).toContain(`unknown key ${name}.a`);
    expect(problems).toContain('unknown key connectors.slack');
    expect(problems.filter((problem) => problem.startsWith('log.level must be one of'))).toHaveLength(1);
  });

  test.each([
    [{ servr: {} }, 'unknown key servr'],
    [{ server: { prot: 1 } }, 'unknown key server.prot'],
    [{ connectors: { telegram: { apiUrl: 'x' } } }, 'unknown key connectors.telegram.apiUrl'],
    [{ connectors: { signal: {} } }, 'unknown key connectors.signal'],
    [{ server: { port: '19080' } }, 'server.port must be integer'],
    [{ server: { port: 65_536 } }, 'server.port must be <= 65535'],
    [{ server: { apiKey: '' } }, 'server.apiKey must not have fewer than 1 characters'],
    [{ server: { helloTimeoutMs: 0 } }, 'server.helloTimeoutMs must be >= 1'],
    [{ delivery: { ttlMs: -1 } }, 'delivery.ttlMs must be >= 1'],
    [{ delivery: { ttlMs: 1.5 } }, 'delivery.ttlMs must be integer'],
    [{ secrets: { store: 'none' } }, 'secrets.store must be one of "keychain", "file"'],
    [{ connectors: { local: { profile: 'xagent.im.v3' } } }, 'connectors.local.profile must be one of'],
    [{ server: 'x' }, 'server must be object'],
    [{ server: { host: '0.0.0.0' } }, 'server.host must be a loopback address'],
    [{ server: { host: '127.evil.com' } }, 'server.host must be a loopback address'],
    [{ server: { allowedOrigins: ['https://a.example/path'] } }, 'server.allowedOrigins.0 must be an origin'],
    [{ connectors: { telegram: { apiRoot: 'nonsense' } } }, 'connectors.telegram.apiRoot must be a URL'],
    [{ connectors: { telegram: { apiRoot: 'http://10.0.0.1' } } }, 'may use plain http: for loopback addresses only'],
    [{ connectors: { telegram: { apiRoot: 'ftp://127.0.0.1' } } }, 'must begin with https:// or http://'],
    [{ connectors: { telegram: { apiRoot: 'https://u:p@h.example' } } }, 'must not hold credentials'],
    [{ connectors: { xmpp: { service: 'ws://chat.example' } } }, 'may use plain ws: for loopback addresses only'],
    [{ connectors: { telegram: { proxy: 'auto' } } }, 'connectors.telegram.proxy must be "system", "none", or http://'],
    [{ connectors: { wechat: { proxy: 'socks4://p.test' } } }, 'connectors.wechat.proxy must be "system"'],
    [{ connectors: { xmpp: { proxy: 'http://p.test/x' } } }, 'connectors.xmpp.proxy must be "system"'],
    [{ connectors: { feishu: { proxy: 'http://u:p@p.test' } } }, 'connectors.feishu.proxy must not hold credentials'],
    [{ connectors: { local: { proxy: 'none' } } }, 'unknown key connectors.local.proxy'],
    [{ agentServer: { url: 'http://127.0.0.1:1' } }, 'agentServer.url must begin with wss:// or ws://'],
    [{ agentServer: { filesRoot: 'relative' } }, 'agentServer.filesRoot must be an absolute path'],
    [{ delivery: { retryInitialMs: 9, retryMaxMs: 8 } }, 'delivery.retryInitialMs must not be above'],
    [{ delivery: { retryInitialMs: 90_000 } }, 'delivery.retryInitialMs must not be above'],
    [{ files: { maxUploadBytes: 9, maxTotalBytes: 8 } }, 'files.maxUploadBytes must not be above'],
    [[], 'the configuration must be a JSON object'],
  ])('%j: %s', (value, problem) => {
    expect(problemsOf(value)).toEqual([expect.stringContaining(problem)]);
  });

  test('a refused API key is not repeated', () => {
    expect(problemsOf({ server: { apiKey: 'has a space and is secret' } }).join()).not.toContain('secret');
  });

  test('a refused proxy is not repeated, for it may hold a password', () => {
    for (const proxy of ['http://u:secret@p.test', 'ftp://u:secret@p.test'])
      expect(problemsOf({ connectors: { telegram: { proxy } } }).join()).not.toContain('secret');
  });

  test('every wrong key is named at once', () => {
    expect(problemsOf({ server: { a: 1, b: 2 }, log: { level: 'loud' } })).toHaveLength(3);
  });
});

test.each(['http://127.0.0.1:8081', 'http://localhost:8081', 'http://[::1]:8081/bot', 'https://bots.example'])(
  '%s may be a Bot API server',
  (apiRoot) => {
    expect(problemsOf({ connectors: { telegram: { apiRoot } } })).toEqual([]);
  },
);

test.each(['system', 'none', 'http://p.test:8080', 'https://p.test/', 'socks5://127.0.0.1:1080'])(
  '%s may be the proxy of a network',
  (proxy) => expect(problemsOf({ connectors: { feishu: { proxy } } })).toEqual([]),
);

describe('the file', () => {
  test('may begin with a byte order mark', () => {
    const file = join(folder, 'bom.json');
    writeFileSync(file, '\uFEFF{"server":{"port":0}}');
    expect(readConfig(file).config.server.port).toBe(0);
  });

  test('that nests too deeply is named, whatever it holds', () => {
    const file = join(folder, 'deep.json');
    writeFileSync(file, `{"server":${'['.repeat(20_000)}${']'.repeat(20_000)}}`);
    expect(() => readConfig(file)).toThrow(new ConfigError([`${file} nests too deeply`]));
  });

  test('that is far too large, or has no end, is named at once', () => {
    const file = join(folder, 'large.json');
    writeFileSync(file, `{"server":{}}${' '.repeat(1024 * 1024)}`);
    expect(() => readConfig(file)).toThrow(new ConfigError([`${file} is larger than a configuration can be`]));
    if (process.platform === 'linux') expect(() => readConfig('/dev/zero')).toThrow(/larger than/);
  });

  test('that is no JSON, or is not there, is named', () => {
    const file = join(folder, 'broken.json');
    writeFileSync(file, '{"server":');
    expect(() => readConfig(file)).toThrow(`${file} is not valid JSON (line 1, column 11)`);
    writeFileSync(file, '{\n  "server": { "apiKey": "canary" }, // mine\n}');
    expect(() => readConfig(file)).toThrow(new ConfigError([`${file} is not valid JSON (line 2, column 37)`]));
    expect(() => readConfig(join(folder, 'none.json'))).toThrow(/none\.json can't be read \(ENOENT\)/);
  });
});

describe('docs/configuration.md', () => {
  const doc = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
  const documented = new Map(
    [...doc.matchAll(/^\| `([a-zA-Z]+(?:\.[a-zA-Z]+)+)` +\| `([^`]*)`/gm)].map(([, key, value]) => [key, value]),
  );
  const defaults = leavesOf(parseConfig({}));

  test.each(defaults)('documents %s with its default', (key, value) => {
    expect(documented.get(key)).toBe(JSON.stringify(value));
  });

  test('documents no key that does not exist', () => {
    expect([...documented.keys()].filter((key) => !defaults.some(([known]) => known === key))).toEqual([]);
  });
});

function leavesOf(value: object, prefix = ''): [string, unknown][] {
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]): [string, unknown][] => {
    const path = prefix === '' ? key : `${prefix}.${key}`;
    const isSection = typeof inner === 'object' && inner !== null && !Array.isArray(inner);
    return isSection ? leavesOf(inner, path) : [[path, inner]];
  });
}
