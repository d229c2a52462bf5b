import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { _electron, type ElectronApplication, type Page } from 'playwright-core';
import type { Answer, WindowState } from '../../../src/bridge/index.js';
import { testRuntime } from '../../../scripts/electron-runtime.mjs';
import { eventually, Journal, within } from '../deadline.js';
import type { PrivateSession } from './private-session.js';

/**
 * The desktop app in a real Electron, driven through its window and its main process. `XAGENT_TEST_APP` names another build to
 * hold to the same rules; `XAGENT_TEST_ELECTRON` another Electron.
 */
export const APP = process.env['XAGENT_TEST_APP'] ?? process.cwd();
/** From its start to its first window, on a machine that is busy with other suites; milliseconds. */
const START_MS = 30_000;
/** Between two looks at what it printed, milliseconds. */
const READ_EVERY_MS = 50;

/** Nothing reaches out of the machine, no port is anybody else's. */
export const CONFIG = {
  server: { port: 0 },
  log: { level: 'debug' },
  connectors: { wechat: { enabled: false }, feishu: { enabled: false }, xmpp: { enabled: false } },
};

export interface RunOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Instead of {@link CONFIG}; null gives none. */
  readonly config?: object | null;
  /** Goes on with the data of an earlier run. */
  readonly dataDir?: string;
  /** Whether to wait until its host listens. */
  readonly ready?: boolean;
}

export class DesktopRun {
  readonly stdout = new Journal<string>();
  readonly stderr = new Journal<string>();
  readonly exit: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;

  /** Kept from the beginning: the driver forgets it with the app's end. */
  readonly process: ChildProcess;

  private constructor(
    readonly app: ElectronApplication,
    readonly dataDir: string,
    private readonly printed: { readonly stdout: string; readonly stderr: string },
  ) {
    this.process = app.process();
    const end = (): void => void this.process.kill('SIGKILL');
    process.once('exit', end);
    const follow = setInterval(() => this.#read(), READ_EVERY_MS);
    this.exit = new Promise((resolve) => {
      this.process.once('exit', (code, signal) => {
        clearInterval(follow);
        process.removeListener('exit', end);
        this.#read();
        resolve({ code, signal });
      });
    });
  }

  static async start(session: PrivateSession, options: RunOptions = {}): Promise<DesktopRun> {
    const dataDir = options.dataDir ?? join(await mkdtemp(join(session.folder, 'run-')), 'data');
    const config = options.config === undefined ? CONFIG : options.config;
    const file = `${dataDir}.json`;
    if (config !== null) await writeFile(file, JSON.stringify(config));
    const folder = await mkdtemp(join(session.folder, 'printed-'));
    const printed = { stdout: join(folder, 'stdout'), stderr: join(folder, 'stderr') };
    const app = await _electron.launch({
      executablePath: join(__dirname, 'tee.sh'),
      args: [
        APP,
        '--ready-json',
        '--data-dir',
        dataDir,
        ...(config === null ? [] : ['--config', file]),
        ...(options.args ?? []),
      ],
      env: {
        ...session.env,
        ...options.env,
        XCD_PROGRAM: await electronProgram(),
        XCD_STDOUT: printed.stdout,
        XCD_STDERR: printed.stderr,
      },
      timeout: START_MS,
    });
    const run = new DesktopRun(app, dataDir, printed);
    if (options.ready === false) return run;
    try {
      await run.ready();
      return run;
    } catch (error) {
      const last = run.stderr.entries.slice(-8).join('\n');
      await run.kill();
      throw new Error(`the app did not become ready: ${last}`, { cause: error });
    }
  }

  /** The ready line's facts. */
  async ready(): Promise<{ readonly url: string; readonly pid: number }> {
    const line = await this.stdout.next((text) => text.startsWith('{"event":"ready"'), 'the ready line', {
      ms: START_MS,
    });
    return JSON.parse(line) as { url: string; pid: number };
  }

  /** The page of the open window, waited for. */
  async page(): Promise<Page> {
    return eventually(async () => {
      const page = this.app.windows().findLast((window) => !window.isClosed());
      if (page === undefined) return undefined;
      const isThere = await page.evaluate('typeof window.xagentConnector === "object"').catch(() => false);
      return isThere === true ? page : undefined;
    }, 'a window');
  }

  /** How many windows there are, and how many of them can be seen. */
  async windows(): Promise<{ readonly all: number; readonly visible: number; readonly minimised: number }> {
    return this.app.evaluate(({ BrowserWindow }) => {
      const all = BrowserWindow.getAllWindows();
      return {
        all: all.length,
        visible: all.filter((window) => window.isVisible()).length,
        minimised: all.filter((window) => window.isMinimized()).length,
      };
    });
  }

  async closeWindow(): Promise<void> {
    await this.app.evaluate(({ BrowserWindow }) => {
      for (const window of BrowserWindow.getAllWindows()) window.close();
    });
  }

  async state(): Promise<WindowState> {
    return (await this.page()).evaluate<WindowState>('window.xagentConnector.state()');
  }

  /** A command as the page gives it. */
  async call(kind: 'call' | 'shell', command: string, params: unknown = {}): Promise<Answer> {
    const page = await this.page();
    const given = JSON.stringify([command, params]);
    return page.evaluate<Answer>(`window.xagentConnector.${kind}(...${given})`);
  }

  /** As {@link call}; fails when it is refused. */
  async result<T = Record<string, unknown>>(kind: 'call' | 'shell', command: string, params: unknown = {}): Promise<T> {
    const answer = await this.call(kind, command, params);
    if ('error' in answer) throw new Error(`${command}: ${answer.error.code}`);
    return answer.result as T;
  }

  /** Ends by the person's way out; gives the exit code and how long it took, milliseconds. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<{ code: number | null; ms: number }> {
    const began = performance.now();
    this.process.kill(signal);
    const { code } = await within(this.exit, 'the app to end', START_MS);
    return { code, ms: performance.now() - began };
  }

  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.exit;
  }

  /** Whole lines only: the last one may still be on its way. */
  #read(): void {
    for (const which of ['stdout', 'stderr'] as const) {
      const text = readIfThere(this.printed[which]);
      const lines = text.split('\n').slice(0, -1);
      for (const line of lines.slice(this[which].mark)) this[which].push(line);
    }
  }
}

/** The Electron that runs the app in tests. */
export async function electronProgram(): Promise<string> {
  const named = process.env['XAGENT_TEST_ELECTRON'];
  const program = named ?? (await testRuntime());
  if (program === undefined || !existsSync(program)) throw new Error('there is no Electron to test with');
  return program;
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
