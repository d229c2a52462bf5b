import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CLI, HostProcess, runCli, STOP_MS } from '../support/host-process.js';
import { ask } from '../support/http-client.js';
import { SpecAgent } from '../support/spec-agent.js';
import { Squatter } from '../support/squatter.js';

describe('commands', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'xcd-cli-'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  const config = async (value: unknown): Promise<string> => {
    const file = join(dir, 'config.json');
    await writeFile(file, typeof value === 'string' ? value : JSON.stringify(value));
    return file;
  };
  const serve = async (value: unknown, ...more: string[]) =>
    runCli(['serve', '--config', await config(value), '--data-dir', join(dir, 'data'), ...more]);
  const SMALL = { server: { port: 0, apiKey: 'k'.repeat(32) }, secrets: { store: 'file' } };

  it.each([
    ['an unknown flag', ['serve', '--verbose']],
    ['an unknown short flag', ['serve', '-v']],
    ['an unknown flag with a value', ['serve', '--api-key=secret']],
    ['an unknown command', ['launch']],
    ['a flag without its value', ['serve', '--port']],
    ['a port that is none', ['serve', '--port=70000']],
    ['a stray word', ['serve', 'now']],
  ])('%s exits 2 and names it', async (_what, args) => {
    const exit = await runCli([...args, ...(args.includes('serve') ? ['--data-dir', join(dir, 'data')] : [])]);
    expect(exit.code).toBe(2);
    const named = args.at(-1)?.replace(/=.*/, '') ?? '';
    expect(exit.stderr).toContain(named);
    expect(exit.stderr).not.toContain('    at ');
  });

  it.each([
    ['an unknown key', { ...SMALL, serverr: {} }, 'serverr'],
    ['an unknown nested key', { ...SMALL, delivery: { ttl: 5 } }, 'ttl'],
    ['an unknown connector', { ...SMALL, connectors: { whatsapp: {} } }, 'whatsapp'],
    ['a value of another kind', { ...SMALL, lease: { graceMs: 'long' } }, 'graceMs'],
    ['an empty api key', { ...SMALL, server: { port: 0, apiKey: '' } }, 'apiKey'],
    [
      'a plain http server elsewhere',
      { ...SMALL, connectors: { telegram: { apiRoot: 'http://api.evil.example' } } },
      'apiRoot',
    ],
    [
      'a host that only looks like loopback',
      { ...SMALL, connectors: { telegram: { apiRoot: 'http://127.0.0.1.evil.example' } } },
      'apiRoot',
    ],
    ['something that is not JSON', '{"server":', 'config.json'],
    ['an array', '[]', ''],
  ])('configuration with %s exits 2 and names it', async (_what, value, named) => {
    const exit = await serve(value);
    expect(exit.code).toBe(2);
    expect(exit.stderr).toContain(named);
    expect(exit.stderr).not.toContain('    at ');
    expect(exit.stdout).toBe('');
  });

  const NAMES = ['serve', 'doctor', 'accounts', 'sign-in', 'sign-out', 'api-key', 'ui'];

  it.each(NAMES)('%s explains itself with --help, -h or help, and exits 0', async (command) => {
    const asked = await Promise.all([runCli([command, '--help']), runCli([command, '-h']), runCli(['help', command])]);
    for (const { code, stderr, stdout } of asked) {
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(new RegExp(`^Usage: node dist/cli\\.js ${command}[ \\n]`));
    }
  });

  it.each(['--help', '-h', 'help'])('%s alone lists every command and exits 0', async (asked) => {
    const { code, stderr, stdout } = await runCli([asked]);
    expect([code, stderr]).toEqual([0, '']);
    for (const name of NAMES) expect(stdout).toContain(`\n  ${name} `);
  });

  it('help for a command that is not there exits 2 and names it', async () => {
    const { code, stderr } = await runCli(['help', 'launch']);
    expect(code).toBe(2);
    expect(stderr).toContain('launch');
  });

  it.each([[['doctor']], [['accounts']], [['sign-in', 'local']], [['sign-out', 'acc_1']], [['api-key']], [['ui']]])(
    '%j refuses an unknown flag and an unknown configuration key by name, as serve does',
    async (command) => {
      const flag = await runCli([...command, '--data-dir', join(dir, 'data'), '--verbose']);
      expect([flag.code, flag.stdout]).toEqual([2, '']);
      expect(flag.stderr).toContain('--verbose');
      const file = await config({ ...SMALL, serverr: {} });
      const key = await runCli([...command, '--data-dir', join(dir, 'data'), '--config', file]);
      expect([key.code, key.stdout]).toEqual([2, '']);
      expect(key.stderr).toContain('serverr');
    },
  );

  it('a configuration file that is not there exits 2 and names it', async () => {
    const exit = await runCli(['serve', '--config', join(dir, 'nowhere.json'), '--data-dir', join(dir, 'data')]);
    expect(exit.code).toBe(2);
    expect(exit.stderr).toContain('nowhere.json');
  });

  it('a taken port exits 1 and names the port', async () => {
    const squatter = await Squatter.start();
    const { port } = squatter;
    try {
      const exit = await serve({ ...SMALL, server: { port, apiKey: 'k'.repeat(32) } }, '--ready-json');
      expect(exit.code).toBe(1);
      expect(exit.stderr).toContain(String(port));
      expect(exit.stdout).toBe('');
    } finally {
      await squatter.leave();
    }
  });

  it('secrets.store file without a passphrase is refused, never a silent step down', async () => {
    const exit = await runCli(['serve', '--config', await config(SMALL), '--data-dir', join(dir, 'data')], {
      env: { XAGENT_CONNECTOR_PASSPHRASE: '' },
    });
    expect([1, 2]).toContain(exit.code);
    expect(exit.stderr).toContain('XAGENT_CONNECTOR_PASSPHRASE');
  });

  it('a second process on the same data directory exits 1 and says who holds it; the first lives on', async () => {
    const host = await HostProcess.start();
    try {
      const exit = await runCli(['serve', '--config', await config(SMALL), '--data-dir', host.dataDir]);
      expect(exit.code).toBe(1);
      expect(exit.stderr).toContain(String(host.pid));
      expect((await ask(`${host.base('local')}/connector-card.json`)).status).toBe(200);
    } finally {
      await host.destroy();
    }
  });

  it('the lock of a killed process does not keep the next one out', async () => {
    const host = await HostProcess.start();
    try {
      await host.kill();
      await host.restart();
      expect((await ask(`${host.base('local')}/connector-card.json`)).status).toBe(200);
    } finally {
      await host.destroy();
    }
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('%s exits 0 within five seconds, with agents connected', async (signal) => {
    const host = await HostProcess.start();
    try {
      const agent = await SpecAgent.connect({ baseUrl: host.base('local'), apiKey: host.apiKey });
      const exit = await host.stop(signal);
      expect((await agent.closed).code).toBe(1001);
      expect(exit.code).toBe(0);
      expect(exit.ms).toBeLessThan(STOP_MS);
    } finally {
      await host.destroy();
    }
  });

  it('SIGTERM while it is still starting, for its keychain does not answer, ends it as soon', async () => {
    const bus = createServer((socket) => socket.on('error', () => undefined));
    await new Promise<void>((resolve) => bus.listen(join(dir, 'bus'), resolve));
    const file = await config({ server: { port: 0 }, secrets: { store: 'keychain' } });
    const child = spawn(process.execPath, [CLI, 'serve', '--config', file, '--data-dir', join(dir, 'data')], {
      env: { ...process.env, DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(dir, 'bus')}` },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = once(child, 'exit');
    try {
      await once(child.stderr, 'data');
      const asked = performance.now();
      child.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
      expect(performance.now() - asked).toBeLessThan(STOP_MS);
    } finally {
      child.kill('SIGKILL');
      bus.close();
    }
  });

  it('SIGTERM while the program is still being loaded ends it with 0 as well, and no host was started', async () => {
    const probe = join(dir, 'probe.cjs');
    const asks = `const vm = require('node:vm');
      vm.Script = class extends vm.Script {
        constructor(source, options) {
          if (options.filename.endsWith('command-line.js')) process.kill(process.pid, 'SIGTERM');
          super(source, options);
        }
      };`;
    await writeFile(probe, asks);
    const args = ['--require', probe, CLI, 'serve', '--config', await config(SMALL), '--data-dir', join(dir, 'data')];
    const child = spawn(process.execPath, args, { stdio: 'ignore' });
    expect(await once(child, 'exit')).toEqual([0, null]);
    await expect(stat(join(dir, 'data'))).rejects.toThrow('ENOENT');
  });

  it('one Ctrl-C that reaches the process twice, from the terminal and from what started it, still ends in order', async () => {
    const host = await HostProcess.start();
    try {
      process.kill(host.pid, 'SIGINT');
      await new Promise((resolve) => setTimeout(resolve, 5));
      const exit = await host.stop('SIGINT');
      expect(exit.code).toBe(0);
    } finally {
      await host.destroy();
    }
  });

  it('nothing but the ready line goes to standard output', async () => {
    const host = await HostProcess.start();
    try {
      await ask(`${host.base('local')}/connector-card.json`);
      await host.stop();
      expect(host.stdout.entries).toHaveLength(1);
    } finally {
      await host.destroy();
    }
  });

  it('server.apiKey null makes a key of 32 random bytes on the first run and keeps it', async () => {
    const host = await HostProcess.start({ isEmpty: true, config: { server: { port: 0, apiKey: null } } });
    const shown = async (): Promise<string> => (await runCli(['api-key', '--data-dir', host.dataDir])).stdout.trimEnd();
    const health = async (headers: Record<string, string>): Promise<number> =>
      (await ask(`${host.base('local')}/health`, { headers })).status;
    try {
      const key = await shown();
      expect(Buffer.from(key, 'base64url')).toHaveLength(32);
      for (const authorization of ['', 'Bearer ', 'Bearer test-api']) expect(await health({ authorization })).toBe(401);
      expect(await health({})).toBe(401);
      await host.restart();
      expect(await shown()).toBe(key);
      expect(await health({ authorization: `Bearer ${key}` })).toBe(200);
    } finally {
      await host.destroy();
    }
  });

  it("the data directory is the owner's alone, with everything in it", async () => {
    const host = await HostProcess.start();
    try {
      expect((await stat(host.dataDir)).mode & 0o077).toBe(0);
      for (const entry of await readdir(host.dataDir, { recursive: true, withFileTypes: true })) {
        const mode = (await stat(join(entry.parentPath, entry.name))).mode & 0o007;
        expect([entry.name, mode]).toEqual([entry.name, 0]);
      }
    } finally {
      await host.destroy();
    }
  });

  it.runIf(existsSync('/dev/full'))(
    'what a full disk did not take was not printed: exit 1 and one line that says so',
    () => {
      const full = openSync('/dev/full', 'w');
      try {
        const exit = spawnSync(process.execPath, [CLI, 'help'], { stdio: ['ignore', full, 'pipe'], encoding: 'utf8' });
        expect(exit.status).toBe(1);
        expect(exit.stderr).toMatch(/^[^\n]*ENOSPC[^\n]*\n$/);
      } finally {
        closeSync(full);
      }
    },
  );

  it('--port wins over the file', async () => {
    const former = await Squatter.start();
    const { port } = former;
    await former.leave();
    const host = await HostProcess.start({ args: ['--port', String(port)] });
    try {
      expect(host.port).toBe(port);
    } finally {
      await host.destroy();
    }
  });

  it('doctor says one line each and exits 0 on a sound machine; --json is JSON', async () => {
    const file = await config({
      ...SMALL,
      connectors: {
        telegram: { enabled: false },
        wechat: { enabled: false },
        feishu: { enabled: false },
        xmpp: { enabled: false },
      },
    });
    const plain = await runCli(['doctor', '--config', file, '--data-dir', join(dir, 'data')]);
    expect([plain.code, plain.stderr]).toEqual([0, expect.any(String)]);
    expect(plain.stdout.trim().split('\n').length).toBeGreaterThanOrEqual(4);
    const json = await runCli(['doctor', '--json', '--config', file, '--data-dir', join(dir, 'data')]);
    expect(json.code).toBe(0);
    expect(() => void JSON.parse(json.stdout)).not.toThrow();
  });

  it('doctor exits 1 when something is broken', async () => {
    const squatter = await Squatter.start();
    const { port } = squatter;
    try {
      const exit = await runCli([
        'doctor',
        '--config',
        await config({ ...SMALL, server: { port, apiKey: 'k'.repeat(32) } }),
        '--data-dir',
        join(dir, 'data'),
      ]);
      expect(exit.code).toBe(1);
      expect(exit.stdout).toContain(String(port));
    } finally {
      await squatter.leave();
    }
  });

  it('accounts, sign-in and sign-out speak to the running host of the data directory', async () => {
    const host = await HostProcess.start();
    const at = ['--data-dir', host.dataDir, '--config', host.configFile];
    try {
      expect(JSON.parse((await runCli(['accounts', '--json', ...at])).stdout)).toEqual([]);
      const signIn = await runCli(['sign-in', 'local', '--input-stdin', ...at], {
        input: JSON.stringify({ display_name: 'Kim' }),
      });
      expect([signIn.code, signIn.stderr]).toEqual([0, expect.any(String)]);
      const listed: unknown = JSON.parse((await runCli(['accounts', '--json', ...at])).stdout);
      expect(JSON.stringify(listed)).toContain('Kim');
      const accountId = /"account_?[iI]d":"([^"]+)"/.exec(JSON.stringify(listed))?.[1] ?? '';
      expect((await runCli(['sign-out', accountId, ...at])).code).toBe(0);
      expect(JSON.parse((await runCli(['accounts', '--json', ...at])).stdout)).toEqual([]);
      expect((await runCli(['sign-out', accountId, ...at])).code).toBe(1);
      expect((await runCli(['sign-in', 'no-such-network', ...at])).code).not.toBe(0);
    } finally {
      await host.destroy();
    }
    expect((await runCli(['accounts', ...at])).code).toBe(1);
  });
});
