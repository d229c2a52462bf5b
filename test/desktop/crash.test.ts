import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTelegramSimulator, type TelegramSimulator } from '../simulators/telegram/index.js';
import { Desk } from '../support/desktop/desk.js';
import { DesktopRun } from '../support/desktop/desktop-run.js';
import { dumpsAmong, filesWith } from '../support/files-with.js';

/**
 * The app dies in the middle of a sign-in, in each of its ways, and what each death leaves where others can look: a home, a
 * data directory and a folder for temporary files of its own, which nothing else writes to.
 */

const BOT_TOKEN = '4242:AAcanaryOfACrashCanaryOfACrashCanary';
/** Who writes to the bot. */
const KIM = 42_001;

let telegram: TelegramSimulator;
let desk: Desk;
let run: DesktopRun;
let apiKey: string;

beforeAll(async () => {
  telegram = await startTelegramSimulator({ token: BOT_TOKEN });
  telegram.start(KIM, 'Kim');
  desk = await Desk.start({ keyring: 'ready', tray: true });
  await mkdir(join(desk.session.folder, 'tmp'));
});

beforeEach(async () => {
  run = await DesktopRun.start(desk.session, {
    env: { TMPDIR: join(desk.session.folder, 'tmp') },
    config: {
      server: { port: 0 },
      log: { level: 'debug' },
      connectors: {
        telegram: { apiRoot: telegram.apiRoot },
        wechat: { enabled: false },
        feishu: { enabled: false },
        xmpp: { enabled: false },
      },
    },
  });
  await run.result('shell', 'copy-api-key');
  apiKey = await run.app.evaluate(({ clipboard }) => clipboard.readText());
  await signInHalfWay();
});

afterEach(async () => {
  await run.kill();
  telegram.faults.clear();
});

afterAll(async () => {
  await desk.end();
  await telegram.close();
});

/** The person typed the token and pressed the button; the network does not answer. */
async function signInHalfWay(): Promise<void> {
  const asked = telegram.countOf('getMe');
  telegram.faults.add('getMe', { kind: 'hang' });
  const page = await run.page();
  await page.evaluate('void (location.hash = "#/connect/telegram")');
  await page.getByRole('textbox', { name: /^Bot token/ }).fill(BOT_TOKEN);
  await page.getByRole('textbox', { name: /^Chat ID/ }).fill(String(KIM));
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await telegram.until(() => telegram.countOf('getMe') > asked);
}

async function leavesNothing(): Promise<void> {
  const printed = [...run.stdout.entries, ...run.stderr.entries].join('\n');
  for (const secret of [BOT_TOKEN, BOT_TOKEN.split(':')[1] ?? '', apiKey]) {
    expect(printed.includes(secret)).toBe(false);
    expect(await filesWith(desk.session.folder, secret)).toEqual([]);
  }
  expect(dumpsAmong(await readdir(desk.session.folder, { recursive: true }))).toEqual([]);
}

describe('E18: a crash during a sign-in tells no secret', () => {
  it('of the page, which comes back without what was typed', async () => {
    await run.app.evaluate(({ BrowserWindow }) => {
      BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer();
    });
    await run.stderr.next((line) => line.includes('the window crashed'), 'the crash on the log');
    const page = await run.page();
    expect(await page.content()).not.toContain(BOT_TOKEN);
    await leavesNothing();
  });

  it('of the main process, by a fault in native code', async () => {
    await run.app.evaluate(() => void setTimeout(() => process.crash()));
    expect((await run.exit).code).not.toBe(0);
    await leavesNothing();
  });

  it('of the main process, killed', async () => {
    await run.kill();
    await leavesNothing();
  });

  it('of the main process, by an exception that nobody caught and that names the secret', async () => {
    await run.app.evaluate((_electron, token) => {
      setTimeout(() => {
        throw new Error(`the call of https://example.com/bot${token}/getMe failed`);
      });
    }, BOT_TOKEN);
    expect((await run.exit).code).toBe(1);
    expect(run.stderr.entries.filter((line) => line.includes('an exception went uncaught'))).toHaveLength(1);
    await leavesNothing();
  });
});

it('E18: no crash is reported to anybody', async () => {
  const reports = await run.app.evaluate(({ app, crashReporter }) => ({
    folder: app.getPath('crashDumps'),
    uploads: crashReporter.getUploadToServer(),
    uploaded: crashReporter.getUploadedReports(),
  }));
  expect(reports).toEqual({ folder: join(run.dataDir, 'desktop', 'crashes'), uploads: false, uploaded: [] });
});
