import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AccountSnapshot, Snapshot } from '../../src/bridge/index.js';
import { refusals, startTelegramSimulator, type TelegramSimulator } from '../simulators/telegram/index.js';
import { ControlSocket } from '../support/control-socket.js';
import { eventually } from '../support/deadline.js';
import { Desk } from '../support/desktop/desk.js';
import { DesktopRun } from '../support/desktop/desktop-run.js';
import type { Shown } from '../support/desktop/fake-desktop.js';
import { SpecAgent } from '../support/spec-agent.js';
import { records } from '../support/wire-rules.js';

/** What a desktop shows of the three things that are told, and what a click on it opens: seen on the session bus. */

const API_KEY = 'key-of-this-test-0123456789';
const BOT_TOKEN = '4242:AAE-simulated-bot-token-0123456789abcdef';
/** Who writes to the bot. */
const KIM = 42_001;
/** Calls that are refused until the test says otherwise. */
const MANY = 10_000;
/** The notice of an agent that is away is due when 10 minutes are left: a second after it left, then. Milliseconds. */
const GRACE_MS = 601_000;

let telegram: TelegramSimulator;
let desk: Desk;
let run: DesktopRun;
/** Goes on while there is no window. */
let control: ControlSocket;
const agents: SpecAgent[] = [];

beforeAll(async () => {
  telegram = await startTelegramSimulator({ token: BOT_TOKEN });
  telegram.start(KIM, 'Kim');
  desk = await Desk.start({ keyring: 'ready', tray: true });
  run = await DesktopRun.start(desk.session, {
    config: {
      server: { port: 0, apiKey: API_KEY },
      log: { level: 'debug' },
      lease: { graceMs: GRACE_MS },
      // Messages that nobody takes expire at once.
      delivery: { ttlMs: 1_000 },
      connectors: {
        telegram: { apiRoot: telegram.apiRoot },
        wechat: { enabled: false },
        feishu: { enabled: false },
        xmpp: { enabled: false },
      },
    },
  });
  control = await ControlSocket.open(run.dataDir);
  await signIn('telegram', { bot_token: BOT_TOKEN, chat_id: String(KIM) });
  await signIn('local', { display_name: 'Ada' });
});

afterEach(async () => {
  // Whatever else happened in a test, nothing was told twice, and nothing that is none of the three.
  expect(told().slice(checked)).toEqual([]);
});

afterAll(async () => {
  for (const agent of agents) await agent.bye();
  control.close();
  await run.kill();
  await desk.end();
  await telegram.close();
});

/** Notifications that a test expected. */
let checked = 0;

const told = (): readonly Shown[] => desk.desktop.notifications.shown.entries;

/** The next notification; it is the only one. */
async function next(): Promise<Shown> {
  const shown = await desk.desktop.notifications.shown.next(() => true, 'a notification', { from: checked });
  checked += 1;
  return shown;
}

async function snapshot(): Promise<Snapshot> {
  return (await control.command('snapshot')) as unknown as Snapshot;
}

async function account(connector: string): Promise<AccountSnapshot> {
  const found = (await snapshot()).connectors.find(({ name }) => name === connector)?.accounts[0];
  if (found === undefined) throw new Error(`nobody is signed in to ${connector}`);
  return found;
}

const status = async (connector: string): Promise<string> => (await account(connector)).state.status;

async function signIn(connector: string, input: Record<string, string>): Promise<void> {
  const { authSessionId } = await control.command('sign-in', { connector, input });
  const state = () => control.command('sign-in-state', { connector, authSessionId });
  await eventually(async () => (await state())['status'] === 'authenticated', `the sign-in to ${connector}`);
}

/** The person asks for another try. */
async function retry(): Promise<void> {
  await control.command('reconnect', { accountId: (await account('telegram')).accountId });
}

/** An agent comes to a network and takes the account that waits there. */
async function agentAt(network: string, flowId: string): Promise<SpecAgent> {
  const { url } = await run.ready();
  const agent = await SpecAgent.connect({ baseUrl: `${url}/${network}`, apiKey: API_KEY });
  agents.push(agent);
  await agent.bind(flowId, {});
  return agent;
}

/** The account of the local chat gets a message that nobody takes; resolves when it has ended. */
async function letExpire(text: string): Promise<string> {
  const { accountId } = await account('local');
  const ended = async (): Promise<number> =>
    records((await control.command('ended', { accountId }))['messages']).length;
  const before = await ended();
  await control.command('local-send', { accountId, text });
  await expect.poll(ended).toBe(before + 1);
  return accountId;
}

/** Where the window is; undefined while there is none. */
async function place(): Promise<string | undefined> {
  const { all } = await run.windows();
  return all === 0 ? undefined : new URL((await run.page()).url()).hash;
}

async function closeToTray(): Promise<void> {
  await run.closeWindow();
  await expect.poll(() => run.windows()).toMatchObject({ all: 0 });
}

describe('a message that expired', () => {
  it('E20: is told once, without its text, and a click leads to it', async () => {
    const accountId = await letExpire('a word that only the two of us know');
    const shown = await next();
    expect(shown).toMatchObject({ title: 'A message from Local chat expired', body: 'No agent took it in time.' });
    desk.desktop.clickNotification(shown.id);
    await expect.poll(place).toBe(`#/messages/${accountId}`);
  });

  it('shows its text to who chose that, as text, and nothing to who switched the notice off', async () => {
    await run.result('shell', 'set-preferences', { notificationText: true });
    await letExpire('<b>shown</b> on purpose');
    expect((await next()).body).toBe('‹b>shown‹/b> on purpose');
    await run.result('shell', 'set-preferences', { notificationText: false, notifyExpired: false });
    await letExpire('not told of');
    await run.result('shell', 'set-preferences', { notifyExpired: true });
  });
});

describe('a sign-in that ended', () => {
  it('is told once, in an app that has no window, and a click opens one where the person signs in again', async () => {
    await closeToTray();
    telegram.faults.add('getUpdates', refusals.unauthorized, MANY);
    await retry();
    const shown = await next();
    expect(shown).toMatchObject({
      title: 'Telegram needs you to sign in again',
      body: 'Messages that wait are kept.',
    });
    expect(await place()).toBeUndefined();
    desk.desktop.clickNotification(shown.id);
    await expect.poll(place).toBe('#/connect/telegram');
    expect(await status('telegram')).toBe('revoked');
    // Trying again is no news.
    await retry();
    expect(await status('telegram')).toBe('revoked');
  });

  it('is told again when it ended again after it was renewed', async () => {
    telegram.faults.clear();
    await signIn('telegram', { bot_token: BOT_TOKEN, chat_id: String(KIM) });
    await expect.poll(() => status('telegram')).toBe('connected');
    telegram.faults.add('getUpdates', refusals.unauthorized, MANY);
    await retry();
    expect((await next()).title).toBe('Telegram needs you to sign in again');
    telegram.faults.clear();
    await signIn('telegram', { bot_token: BOT_TOKEN, chat_id: String(KIM) });
    await expect.poll(() => status('telegram')).toBe('connected');
  });
});

describe('what is none of the three', () => {
  it('is on the tray and in the window, and told by no notification: an outage, a webhook, messages, agents', async () => {
    telegram.faults.add('getUpdates', { kind: 'cutBefore' }, MANY);
    await retry();
    await expect.poll(() => status('telegram')).toBe('offline');
    telegram.faults.clear();
    await retry();
    await expect.poll(() => status('telegram')).toBe('connected');
    telegram.faults.add('getUpdates', refusals.webhook, MANY);
    await retry();
    await expect.poll(async () => (await account('telegram')).state).toMatchObject({ code: 'webhook_active' });
    telegram.faults.clear();
    await retry();
    await expect.poll(() => status('telegram')).toBe('connected');
  });
});

describe('an agent that is away', () => {
  it('is told once for all its networks when ten minutes are left, and a click leads to the agent', async () => {
    const [first, second] = [
      await agentAt('local', 'local_pairing'),
      await agentAt('telegram', 'telegram_bot_binding'),
    ];
    await control.command('local-send', { accountId: (await account('local')).accountId, text: 'taken' });
    await first.messages.next(({ text }) => text === 'taken', 'the message');
    await closeToTray();
    await first.bye();
    await second.bye();
    const shown = await next();
    expect(shown).toMatchObject({
      title: 'Your agent has been away',
      body: 'The sign-ins that it uses end in 10 minutes.',
    });
    desk.desktop.clickNotification(shown.id);
    await expect.poll(place).toBe('#/agent');
    const left = (await snapshot()).connectors.map(({ leaseLeftMs }) => leaseLeftMs ?? GRACE_MS);
    expect(Math.max(...left)).toBeLessThanOrEqual(600_000);
  });

  it('is told again, in the language that was chosen, when it came back and left again', async () => {
    await run.result('shell', 'set-preferences', { language: 'zh' });
    const { url } = await run.ready();
    for (const network of ['local', 'telegram']) {
      const agent = await SpecAgent.connect({ baseUrl: `${url}/${network}`, apiKey: API_KEY });
      agents.push(agent);
      await agent.bye();
    }
    expect(await next()).toMatchObject({ title: '智能体已离开一段时间', body: '它使用的登录将在 10 分钟后结束。' });
  });
});
