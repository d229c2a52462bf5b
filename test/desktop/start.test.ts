import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { within } from '../support/deadline.js';
import { Desk } from '../support/desktop/desk.js';
import { APP, DesktopRun, electronProgram } from '../support/desktop/desktop-run.js';

/** How the app starts and ends: flags, a folder that is in use, a death without warning, the session's autostart. */

let desk: Desk;

beforeAll(async () => {
  desk = await Desk.start({ keyring: 'ready', tray: true });
});

afterAll(() => desk.end());

/** Runs the app until it ends by itself. */
async function toTheEnd(...args: readonly string[]): Promise<{ code: number | null; stderr: string; stdout: string }> {
  const child = spawn(await electronProgram(), ['--no-sandbox', APP, ...args], {
    env: { ...desk.session.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [[code], stdout, stderr] = await within(
    Promise.all([once(child, 'exit') as Promise<[number | null]>, text(child.stdout), text(child.stderr)]),
    'the app to end',
    30_000,
  ).finally(() => child.kill('SIGKILL'));
  return { code, stdout, stderr };
}

describe('a command line that can’t be used', () => {
  it('names an unknown flag, exit 2', async () => {
    const { code, stderr, stdout } = await toTheEnd('--bogus=1');
    expect(code).toBe(2);
    expect(stderr).toContain('unknown option --bogus');
    expect(stdout).toBe('');
  });

  it('names an unknown key of a named configuration, exit 2', async () => {
    const file = join(desk.session.folder, 'wrong.json');
    await writeFile(file, '{"server":{"prot":1}}');
    const { code, stderr } = await toTheEnd('--config', file, '--data-dir', join(desk.session.folder, 'wrong'));
    expect(code).toBe(2);
    expect(stderr).toContain('server.prot');
  });
});

it('that can’t read what it keeps about the window says so and ends, exit 1', async () => {
  const dataDir = join(desk.session.folder, 'unreadable');
  await mkdir(join(dataDir, 'desktop', 'preferences.json'), { recursive: true });
  const { code, stderr } = await toTheEnd('--data-dir', dataDir);
  expect(code).toBe(1);
  expect(stderr).toContain('It could not start.');
});

it.each([
  [
    'its own start',
    'const { requestSingleInstanceLock: lock } = app; app.requestSingleInstanceLock = (data) => (ask(), lock.call(app, data));',
  ],
  ['the start of Chromium', "app.once('will-finish-launching', ask);"],
])('told to stop in %s, it ends with 0', async (moment, when) => {
  const probe = join(desk.session.folder, 'probe.cjs');
  await writeFile(
    probe,
    `const { app } = require('electron'); const ask = () => process.kill(process.pid, 'SIGTERM'); ${when}`,
  );
  const child = spawn(
    await electronProgram(),
    ['--no-sandbox', '-r', probe, APP, '--data-dir', join(desk.session.folder, `stopped in ${moment}`)],
    { env: { ...desk.session.env }, stdio: 'ignore' },
  );
  expect(await within(once(child, 'exit'), 'the app to end', 30_000).finally(() => child.kill('SIGKILL'))).toEqual([
    0,
    null,
  ]);
});

describe('a run', () => {
  let run: DesktopRun;
  afterAll(() => run.kill());

  it('killed without warning is followed by another on the same data, and leaves nothing outside of it', async () => {
    run = await DesktopRun.start(desk.session);
    await run.result('call', 'sign-in', { connector: 'local', input: { display_name: 'Ada' } });
    await expect.poll(() => desk.desktop.tooltip()).toBe('xAgent Connector: 1 receiving');
    await run.result('shell', 'set-preferences', { language: 'zh' });
    await run.kill();

    run = await DesktopRun.start(desk.session, { dataDir: run.dataDir });
    const { host, shell } = await run.state();
    expect(shell.preferences.language).toBe('zh');
    expect(host).toMatchObject({ stage: 'running' });
    if (host.stage !== 'running') return;
    expect(host.snapshot.connectors.flatMap(({ accounts }) => accounts)).toMatchObject([{ displayName: 'Ada' }]);
  });

  it('writes the session’s autostart entry when asked, with this program and this data, and takes it away again', async () => {
    const file = join(desk.session.home, '.config', 'autostart', 'xagent-connector.desktop');
    expect((await run.state()).shell.autostart).toEqual({ supported: true, enabled: false });
    await expect(readFile(file)).rejects.toThrow();
    expect(await run.result('shell', 'set-autostart', { enabled: true })).toMatchObject({ enabled: true });
    const entry = await readFile(file, 'utf8');
    expect(entry).toContain(`--hidden`);
    expect(entry).toContain(`--data-dir ${run.dataDir}`);
    expect(entry).toContain(`\nExec=${await realpath(await electronProgram())} `);
    expect(await run.result('shell', 'set-autostart', { enabled: false })).toMatchObject({ enabled: false });
    await expect(readFile(file)).rejects.toThrow();
  });

  it('takes a file for the chat from the page and gives it back', async () => {
    const { host } = await run.state();
    const accountId = host.stage === 'running' ? host.snapshot.connectors.at(-1)!.accounts[0]!.accountId : '';
    const page = await run.page();
    const sent = await page.evaluate<{ status: number; token: string }>(`(async () => {
      const answer = await fetch('files?account=${accountId}&name=note.txt', {
        method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: new Blob(['x'.repeat(300_000)]),
      });
      return { status: answer.status, ...(await answer.json()) };
    })()`);
    expect(sent.status).toBe(200);
    await run.result('call', 'local-send', { accountId, text: 'see', files: [sent.token] });
    const read = await run.result<{ messages: { files: { fileRef?: string }[] }[] }>('call', 'local-read', {
      accountId,
      after: 0,
    });
    const ref = read.messages.at(-1)!.files[0]!.fileRef ?? '';
    const got = await page.evaluate(
      `fetch('files/${ref}?account=${accountId}').then(async (a) => [a.status, (await a.text()).length])`,
    );
    expect(got).toEqual([200, 300_000]);
    const bad = await page.evaluate(
      `fetch('files?account=nobody&name=x', { method: 'POST', body: 'x' }).then((a) => a.status)`,
    );
    expect(bad).toBe(404);
  });

  it('shows in its window that another program has the folder, and goes on when that one is gone', async () => {
    const other = await DesktopRun.start(desk.session, { dataDir: join(desk.session.folder, 'shared') });
    await other.app.evaluate(({ app }) => app.releaseSingleInstanceLock());
    const second = await DesktopRun.start(desk.session, { dataDir: other.dataDir, ready: false });
    await expect
      .poll(async () => (await second.state()).host)
      .toMatchObject({ stage: 'failed', code: 'data_dir_locked' });
    expect((await other.stop()).code).toBe(0);
    await second.result('shell', 'restart-host');
    expect((await second.state()).host.stage).toBe('running');
    expect((await second.stop('SIGINT')).code).toBe(0);
  });
});
