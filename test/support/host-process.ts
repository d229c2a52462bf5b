import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Journal, within } from './deadline.js';
import { filesWith } from './files-with.js';
import { ask, isRecord, type Answer } from './http-client.js';
import { layLightSecrets } from './light-secrets.js';

/**
 * The built product as a whole process: `node dist/cli.js serve`, on a data directory of its own.
 * `XAGENT_TEST_CLI` names another build to hold to the same rules, such as one unpacked from an installer.
 */

export const CLI = process.env['XAGENT_TEST_CLI'] ?? join(process.cwd(), 'dist', 'cli.js');
/** From spawn to the ready line, on a machine that is busy with other suites; milliseconds. */
const READY_MS = 30_000;
/** Contract: SIGTERM ends the process within this; milliseconds. */
export const STOP_MS = 5_000;

export const API_KEY = 'key-of-this-test-run-0123456789abcdef';
export const PASSPHRASE = 'a passphrase of this test run';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Config = Record<string, Json>;

export interface StartOptions {
  /** Merged section by section over the harness's own defaults. */
  readonly config?: Config;
  readonly dataDir?: string;
  /** Begins with an empty folder: the program makes its encrypted file itself, at the full price of a passphrase. */
  readonly isEmpty?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one command of the CLI to its end. */
export async function runCli(
  args: readonly string[],
  options: { env?: Readonly<Record<string, string>>; ms?: number; input?: string } = {},
): Promise<Exit> {
  const child = spawn(process.execPath, [CLI, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, XAGENT_CONNECTOR_PASSPHRASE: PASSPHRASE, ...options.env },
  });
  child.stdin.end(options.input ?? '');
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  const exit = new Promise<Exit>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return within(exit, `cli ${args.join(' ')} to end`, options.ms ?? READY_MS).finally(() => child.kill('SIGKILL'));
}

export class HostProcess {
  /** Every line on standard error (JSON logs) over all lives of this host. */
  readonly logs = new Journal<string>();
  /** Every line on standard output over all lives. */
  readonly stdout = new Journal<string>();
  readonly dataDir: string;
  ready: Record<string, unknown> = {};

  readonly #options: StartOptions;
  #config: Config;
  #child: ChildProcess | undefined;
  #exit: Promise<{ code: number | null; signal: NodeJS.Signals | null }> | undefined;

  private constructor(dataDir: string, options: StartOptions) {
    this.dataDir = dataDir;
    this.#options = options;
    this.#config = withDefaults(options.config ?? {});
  }

  static async start(options: StartOptions = {}): Promise<HostProcess> {
    const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'xcd-host-')));
    const host = new HostProcess(dataDir, options);
    if (options.dataDir === undefined && options.isEmpty !== true && host.#keepsSecretsInFile) {
      await layLightSecrets(dataDir, PASSPHRASE);
    }
    await host.#spawn();
    return host;
  }

  get url(): string {
    return String(this.ready['url']);
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get configFile(): string {
    return join(this.dataDir, '..', `${this.dataDir.split('/').pop() ?? 'host'}.config.json`);
  }

  get apiKey(): string {
    const server = this.#config['server'];
    return isRecord(server) && typeof server['apiKey'] === 'string' ? server['apiKey'] : '';
  }

  get #keepsSecretsInFile(): boolean {
    const secrets = this.#config['secrets'];
    return isRecord(secrets) && secrets['store'] === 'file';
  }

  /** Connector Base URL. */
  base(connector: string): string {
    return `${this.url}/${connector}`;
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return ask(`${this.url}${path}`, { headers: { authorization: `Bearer ${this.apiKey}`, ...headers } });
  }

  async status(): Promise<Record<string, unknown>> {
    return (await this.get('/status')).json();
  }

  /** The data directory's process dies this instant. */
  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.#exit;
  }

  /** Asks the process to end and says how it did. */
  async stop(
    signal: NodeJS.Signals = 'SIGTERM',
  ): Promise<{ code: number | null; signal: NodeJS.Signals | null; ms: number }> {
    const began = performance.now();
    this.#child?.kill(signal);
    const exit = await within(this.#exit ?? Promise.resolve({ code: null, signal: null }), 'host to stop', 3 * STOP_MS);
    return { ...exit, ms: performance.now() - began };
  }

  get alive(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Starts a new process on the same data directory, killing the old one if it still runs. */
  async restart(config?: Config): Promise<void> {
    if (this.alive) await this.kill();
    if (config) this.#config = withDefaults(config);
    await this.#spawn();
  }

  /** Ends the process whatever its state and removes everything it wrote. */
  async destroy(): Promise<void> {
    if (this.alive) {
      await this.stop().catch(() => this.kill());
    }
    await rm(this.dataDir, { recursive: true, force: true });
    await rm(this.configFile, { force: true });
  }

  /** Files below the data directory in which `needle` occurs. */
  filesWith(needle: string): Promise<string[]> {
    return filesWith(this.dataDir, needle);
  }

  /** Command line and environment of the process and its children, as any user of the machine could read the first. */
  async processTable(): Promise<{ pid: number; argv: string; environ: string }[]> {
    const rows: { pid: number; ppid: number; argv: string; environ: string }[] = [];
    for (const name of await readdir('/proc')) {
      if (!/^\d+$/.test(name)) continue;
      try {
        const stat = await readFile(`/proc/${name}/stat`, 'utf8');
        const ppid = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
        const argv = await readFile(`/proc/${name}/cmdline`, 'utf8');
        const environ = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '');
        rows.push({ pid: Number(name), ppid, argv, environ });
      } catch {
        // It ended while we looked.
      }
    }
    const family = new Set([this.pid]);
    for (let grown = true; grown;) {
      grown = false;
      for (const row of rows) {
        if (family.has(row.ppid) && !family.has(row.pid)) {
          family.add(row.pid);
          grown = true;
        }
      }
    }
    return rows.filter((row) => family.has(row.pid));
  }

  async #spawn(): Promise<void> {
    await writeFile(this.configFile, JSON.stringify(this.#config), { mode: 0o600 });
    const child = spawn(
      process.execPath,
      [
        CLI,
        'serve',
        '--ready-json',
        '--config',
        this.configFile,
        '--data-dir',
        this.dataDir,
        ...(this.#options.args ?? []),
      ],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, XAGENT_CONNECTOR_PASSPHRASE: PASSPHRASE, ...this.#options.env },
      },
    );
    this.#child = child;
    this.#exit = new Promise((resolve) => {
      child.on('exit', (code, signal) => resolve({ code, signal }));
    });
    const from = this.stdout.mark;
    createInterface({ input: child.stdout }).on('line', (line) => this.stdout.push(line));
    createInterface({ input: child.stderr }).on('line', (line) => this.logs.push(line));
    const line = this.stdout.next(() => true, 'ready line', { from, ms: READY_MS });
    const died = this.#exit.then(({ code, signal }) => {
      throw new Error(
        `host ended before it was ready (${code ?? signal ?? '?'}): ${this.logs.entries.slice(-5).join('\n')}`,
      );
    });
    died.catch(() => undefined);
    const ready: unknown = JSON.parse(await Promise.race([line, died]));
    if (!isRecord(ready)) throw new Error('the first line is not a JSON object');
    this.ready = ready;
  }
}

/** A free port, an API key that the test knows, and secrets in a file: no test touches the machine's keychain. */
function withDefaults(config: Config): Config {
  const base: Config = {
    server: { port: 0, apiKey: API_KEY },
    secrets: { store: 'file' },
    log: { level: 'debug' },
  };
  const merged: Config = { ...base, ...config };
  for (const key of Object.keys(base)) {
    const [a, b] = [base[key], config[key]];
    if (isPlain(a) && isPlain(b)) merged[key] = { ...a, ...b };
  }
  return merged;
}

function isPlain(value: Json | undefined): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
