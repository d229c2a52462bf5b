import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CommandParams, ShellParams, SOCKET_ONLY } from '../../src/bridge/index.js';
import { Desk } from '../support/desktop/desk.js';
import { CONFIG, DesktopRun } from '../support/desktop/desktop-run.js';

/** What a hostile page, were one to slip in, could reach. The numbers are those of the rows in SECURITY.md. */

const CANARY = 'canary-key-that-no-reply-may-hold-0123456789';

let desk: Desk;
let run: DesktopRun;

beforeAll(async () => {
  desk = await Desk.start({ keyring: 'ready', tray: true });
  run = await DesktopRun.start(desk.session, {
    config: { ...CONFIG, server: { port: 0, apiKey: CANARY } },
  });
  await run.page();
});

afterAll(async () => {
  await run.kill();
  await desk.end();
});

/** Does something in the page and gives what came of it. */
async function inPage<T>(script: string): Promise<T> {
  return (await run.page()).evaluate<T>(script);
}

describe('the page', () => {
  it('E1: has the rights of a sandboxed page of the web, and no more', async () => {
    const preferences = await run.app.evaluate(({ webContents }) => {
      const [contents] = webContents.getAllWebContents() as unknown as { getLastWebPreferences(): object }[];
      return contents?.getLastWebPreferences();
    });
    expect(preferences).toMatchObject({
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webSecurity: true,
      webviewTag: false,
    });
    expect(await inPage('[typeof require, typeof process, typeof module]')).toEqual(Array(3).fill('undefined'));
  });

  it.each(['https://example.com/', 'http://127.0.0.1/', 'file:///etc/passwd', 'data:text/html,x', 'xagent://other/'])(
    'E2: does not leave for %s',
    async (url) => {
      await inPage(`void (location.href = ${JSON.stringify(url)})`);
      await inPage('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
      expect((await run.page()).url()).toMatch(/^xagent:\/\/window\/index\.html/);
    },
  );

  it('E3: opens no window, and only addresses of the list in the browser', async () => {
    await run.app.evaluate(({ shell }) => {
      const seen: string[] = [];
      Object.assign(globalThis, { opened: seen });
      shell.openExternal = (url) => Promise.resolve(void seen.push(url));
    });
    const refused = [
      'javascript:alert(1)',
      'file:///etc/passwd',
      'smb://x/y',
      'ms-msdt:/id',
      'https://t.me@evil.example/',
    ];
    for (const url of refused) {
      await inPage(`void window.open(${JSON.stringify(url)})`);
      expect(await run.call('shell', 'open-link', { url })).toMatchObject({ error: { code: 'link_refused' } });
    }
    await run.result('shell', 'open-link', { url: 'https://t.me/BotFather' });
    const opened = await run.app.evaluate(() => (globalThis as { opened?: string[] }).opened);
    expect(opened).toEqual(['https://t.me/BotFather']);
    expect(await run.windows()).toMatchObject({ all: 1 });
  });

  it('E4: runs nothing that was written into it', async () => {
    const policy = await inPage<string>(`fetch('index.html').then((a) => a.headers.get('content-security-policy'))`);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    const ran = await inPage(`(async () => {
      window.ran = [];
      document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.ran.push(1)"><svg onload="window.ran.push(2)">');
      const script = document.createElement('script');
      script.textContent = 'window.ran.push(3)';
      document.body.append(script);
      const answers = await Promise.allSettled([fetch('https://example.com/'), fetch('http://127.0.0.1/')]);
      await new Promise((resolve) => setTimeout(resolve));
      return [window.ran, answers.map(({ status }) => status)];
    })()`);
    expect(ran).toEqual([[], ['rejected', 'rejected']]);
  });

  it('E4, E17: shows a message for the text that it is, whatever it looks like', async () => {
    const { authSessionId } = await run.result<{ authSessionId: string }>('call', 'sign-in', {
      connector: 'local',
      input: { display_name: 'Ada' },
    });
    const signIn = () => run.result('call', 'sign-in-state', { connector: 'local', authSessionId });
    await expect.poll(async () => (await signIn())['status']).toBe('authenticated');
    const { accountId } = await signIn();
    const text = '<img src=x onerror="window.ran.push(4)"><script>window.ran.push(5)</script>';
    await run.result('call', 'local-send', { accountId, text });
    await inPage('void (window.ran = [], location.hash = "#/chat")');
    const page = await run.page();
    await page.getByText(text, { exact: true }).waitFor();
    expect(await page.locator('main img[src="x"], main script').count()).toBe(0);
    expect(await inPage('window.ran')).toEqual([]);
  });

  it('E5: is given no device, no clipboard and no notification', async () => {
    const asked = await inPage(`Promise.all([
      navigator.mediaDevices.getUserMedia({ audio: true }).then(() => 'given', () => 'refused'),
      navigator.clipboard.readText().then(() => 'given', () => 'refused'),
      Notification.requestPermission(),
      new Promise((done) => navigator.geolocation.getCurrentPosition(() => done('given'), () => done('refused'))),
    ])`);
    expect(asked).toEqual(['refused', 'refused', 'denied', 'refused']);
  });

  it('E8: reaches functions and nothing else', async () => {
    const api = await inPage(
      `Object.entries(window.xagentConnector).map(([name, value]) => name + ':' + typeof value)`,
    );
    expect(api).toEqual(['call:function', 'shell:function', 'state:function', 'onState:function']);
    const args = await inPage(`new Promise((resolve) => {
      const stop = window.xagentConnector.onState((...args) => { stop(); resolve([args.length, Object.keys(args[0])]); });
      void window.xagentConnector.call('pause', { paused: false });
      void window.xagentConnector.shell('set-preferences', { theme: 'dark' });
    })`);
    expect(args).toEqual([1, ['host', 'shell']]);
  });

  it('E9: is told no secret by any command, the state or an event', async () => {
    const said = await inPage<string>(`(async () => {
      const said = [];
      const stop = window.xagentConnector.onState((state) => said.push(JSON.stringify(state)));
      for (const [kind, command, params] of ${JSON.stringify(everyCommand())}) {
        said.push(JSON.stringify(await window.xagentConnector[kind](command, params)));
      }
      said.push(JSON.stringify(await window.xagentConnector.state()));
      stop();
      return said.join('\\n');
    })()`);
    expect(said).not.toContain(CANARY);
    for (const command of SOCKET_ONLY) {
      expect(await run.call('call', command)).toMatchObject({ error: { code: 'unknown_command' } });
    }
    expect(run.stderr.entries.join('\n')).not.toContain(CANARY);
  });

  it('E10: holds no web view', async () => {
    await inPage(
      `document.body.append(Object.assign(document.createElement('webview'), { src: 'https://example.com/' }))`,
    );
    const kinds = await run.app.evaluate(({ webContents }) => webContents.getAllWebContents().map((c) => c.getType()));
    expect(kinds).toEqual(['window']);
  });

  it('serves what the page is made of, and nothing else of the disk', async () => {
    const statuses = await inPage(`Promise.all([
      '../../package.json', '..%2f..%2fpackage.json', '%2e%2e/main.js', 'assets/', 'main.js', '/etc/passwd',
    ].map((path) => fetch(path).then(({ status }) => status)))`);
    expect(new Set(statuses as number[])).toEqual(new Set([404]));
  });
});

/** Every command with parameters that fit, except those that end or change this run. */
function everyCommand(): (readonly [string, string, object])[] {
  const some = {
    accountId: 'a',
    connector: 'local',
    authSessionId: 'x',
    messageId: 'm',
    text: 't',
    after: 0,
    paused: false,
  };
  const skipped = [
    'quit',
    'restart-host',
    'use-secret-file',
    'use-keychain',
    'save-bundle',
    'show-data-dir',
    'copy-text',
  ];
  const host = Object.keys(CommandParams).map((name) => ['call', name, paramsOf(name, some)] as const);
  const shell = Object.keys(ShellParams)
    .filter((name) => !skipped.includes(name))
    .map((name) => ['shell', name, name === 'set-autostart' ? { enabled: false } : {}] as const);
  return [...host, ...shell];
}

function paramsOf(command: string, some: Readonly<Record<string, unknown>>): object {
  const schema: { properties?: object } = CommandParams[command as keyof typeof CommandParams];
  const names = Object.keys(schema.properties ?? {}).filter((name) => Object.hasOwn(some, name));
  return Object.fromEntries(names.map((name) => [name, some[name]]));
}
