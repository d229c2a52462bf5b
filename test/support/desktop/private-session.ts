import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { eventually, within } from '../deadline.js';

/** How the session's keyring is: the person's own is out of reach in any case. */
export type Keyring = 'ready' | 'locked' | 'absent';

/** Under this name a keyring is on the bus. */
const SECRETS = 'org.freedesktop.secrets';

/** A bus of this test's own: no service is started by itself, so that what is not there stays away. */
const BUS_CONFIG = (
  socket: string,
): string => `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=${socket}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`;

/** Ends with this process too: a test that fails half-way must leave nothing behind. */
function withUs(child: ChildProcess): ChildProcess {
  const end = (): void => void child.kill('SIGKILL');
  process.once('exit', end);
  child.once('exit', () => process.removeListener('exit', end));
  return child;
}

/** A screen of X that nobody sees; one serves a whole test file. */
export class Screen {
  private constructor(
    readonly display: string,
    private readonly child: ChildProcess,
  ) {}

  static async start(): Promise<Screen> {
    // Xvfb looks for a free number itself and tells it on the pipe.
    const child = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x800x24', '-nolisten', 'tcp'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    withUs(child);
    const lines = createInterface({ input: child.stdio[3] as Readable });
    const [number] = (await within(once(lines, 'line'), 'Xvfb')) as [string];
    return new Screen(`:${number}`, child);
  }

  stop(): void {
    this.child.kill('SIGKILL');
  }
}

/** A person's session on a screen: home, bus and keyring of its own. */
export class PrivateSession {
  readonly #children: ChildProcess[] = [];

  private constructor(
    readonly folder: string,
    readonly env: Readonly<Record<string, string>>,
  ) {}

  static async start(screen: Screen, keyring: Keyring): Promise<PrivateSession> {
    const folder = await mkdtemp(join(tmpdir(), 'xcd-desk-'));
    const run = join(folder, 'run');
    const home = join(folder, 'home');
    await mkdir(run, { mode: 0o700 });
    await mkdir(home);
    const socket = join(run, 'bus');
    await writeFile(join(folder, 'bus.conf'), BUS_CONFIG(socket));
    const session = new PrivateSession(folder, {
      PATH: process.env['PATH'] ?? '',
      LANG: 'C.UTF-8',
      HOME: home,
      XDG_RUNTIME_DIR: run,
      DBUS_SESSION_BUS_ADDRESS: `unix:path=${socket}`,
      DISPLAY: screen.display,
      // As a machine's own variables would: no service of the system is asked.
      DBUS_SYSTEM_BUS_ADDRESS: 'unix:path=/nowhere',
    });
    await session.#bus();
    if (keyring !== 'absent') await session.keyring(keyring);
    return session;
  }

  get home(): string {
    return join(this.folder, 'home');
  }

  /** Starts the keyring: `ready` with its login keyring open, `locked` with one that nobody opens. */
  async keyring(state: 'ready' | 'locked'): Promise<void> {
    // There must be one before it can be locked: a first daemon makes it.
    if (state === 'locked') {
      await this.keyring('ready');
      await this.endKeyring();
    }
    const flag = state === 'ready' ? '--unlock' : '--start';
    // No DISPLAY: a locked keyring would ask a person who is not there, on a screen that nobody sees.
    const { DISPLAY: _screen, ...env } = this.env;
    const child = spawn('gnome-keyring-daemon', ['--foreground', flag, '--components=secrets'], {
      env,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#children.push(withUs(child));
    child.stdin.end('password of this test');
    await eventually(() => this.#hasOwner(SECRETS), 'the keyring on the bus');
  }

  /** Ends the keyring, as a crash of it would; {@link keyring} starts it anew with what it held. */
  async endKeyring(): Promise<void> {
    this.#children.pop()?.kill('SIGTERM');
    await eventually(async () => !(await this.#hasOwner(SECRETS)), 'the keyring to be gone');
  }

  async #hasOwner(name: string): Promise<boolean> {
    const method = 'org.freedesktop.DBus.NameHasOwner';
    const args = ['--session', '--print-reply=literal', '--dest=org.freedesktop.DBus', '/', method, `string:${name}`];
    const { stdout } = await promisify(execFile)('dbus-send', args, { env: { ...this.env } });
    return stdout.includes('true');
  }

  async end(): Promise<void> {
    for (const child of this.#children.reverse()) child.kill('SIGKILL');
    // Those that were just killed may still be writing into it.
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  async #bus(): Promise<void> {
    const child = spawn(
      'dbus-daemon',
      ['--nofork', '--print-address=1', `--config-file=${join(this.folder, 'bus.conf')}`],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    );
    this.#children.push(withUs(child));
    await within(once(child.stdout, 'data'), 'dbus-daemon');
  }
}
