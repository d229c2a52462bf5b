import { readdir } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { HostProcess, runCli } from '../support/host-process.js';
import { LocalRig } from '../support/local-rig.js';
import { World } from '../support/world.js';
import { attackFromPage, type Attempt } from './hostile-page.js';
import { Findings, type Outcome, type Scenario } from './scenario.js';

/** Debian's browser; another one by its path. */
const CHROMIUM = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
/** A machine that runs as root has no sandbox for the browser, and none of these tests needs the network. */
const BROWSER_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Names of somebody else that lead to this machine, as a hostile name server has them.
  '--host-resolver-rules=MAP evil.test 127.0.0.1, MAP rebound.test 127.0.0.1',
];

/** What only this host can say; a page that has it has read us. */
const MARKS = ['im.local', 'connector-im-local', 'xagent', 'Kim', '"uptime', 'confidential'];

/** Web pages and programs of the same machine that mean ill. */
export const neighbours: Scenario = {
  name: 'neighbours',
  promise: 'no page and no program next door reads us, writes to us, or gets our key',
  async run(): Promise<Outcome> {
    const findings = new Findings();
    const page = await fromPages(findings);
    const stranger = await besideAStranger(findings);
    return {
      happened: 'a hostile web page in Chromium, rebound names, a sandboxed frame, and a stranger on our port',
      figures: { ...page, ...stranger },
      broken: findings.broken,
    };
  },
};

async function fromPages(findings: Findings): Promise<Record<string, number>> {
  const world = await World.start(new LocalRig());
  const site = createServer(
    (_request, response) => void response.setHeader('content-type', 'text/html').end('<p>evil'),
  );
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: BROWSER_FLAGS });
  try {
    const { agent, channel } = await world.bound();
    const upload = await agent.files.upload(channel, { filename: 'a.txt', content: 'confidential' });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    const { url, port, apiKey, dataDir } = world.host;
    const files = await filesIn(dataDir);
    const target = { url, apiKey, ref: String(upload['file_ref']), channel };
    const attempts: Attempt[] = [];

    const evil = await browser.newPage();
    await evil.goto(`http://evil.test:${portOf(site)}/`);
    attempts.push(...(await evil.evaluate(attackFromPage, target)));
    attempts.push(...(await fromSandbox(evil, target)));

    // The page came from its own server under this name and port; then the name began to mean this machine.
    const rebound = await browser.newPage();
    const own = `http://rebound.test:${port}`;
    await rebound.route(`${own}/start`, (route) => route.fulfill({ contentType: 'text/html', body: '<p>rebound' }));
    await rebound.goto(`${own}/start`);
    attempts.push(...(await rebound.evaluate(attackFromPage, { ...target, url: own })));

    for (const { how, read } of attempts) {
      const leaked = MARKS.find((mark) => read.includes(mark));
      findings.expect(leaked === undefined, `${how} read ${leaked ?? ''}`);
      findings.expect(!read.startsWith('open'), `${how} opened a socket`);
    }
    findings.expect((await filesIn(dataDir)) === files, 'a page stored a file');
    findings.expect((await world.host.get('/status')).status === 200, 'the host does not answer any more');
    await world.farewell();
    return { 'attempts from pages': attempts.length };
  } finally {
    await browser.close();
    await new Promise((resolve) => site.close(resolve));
    await world.end();
  }
}

/** A frame without an origin: what it sends says `Origin: null`. */
async function fromSandbox(page: Page, target: Parameters<typeof attackFromPage>[0]): Promise<Attempt[]> {
  await page.setContent('<iframe sandbox="allow-scripts" srcdoc="<p>sandbox"></iframe>');
  // By its element: frames of what the page held before may still be on their way out.
  const element = await page.waitForSelector('iframe[sandbox]', { state: 'attached' });
  const frame = await element.contentFrame();
  if (!frame) throw new Error('the sandboxed frame did not load');
  await frame.getByText('sandbox').waitFor();
  return frame.evaluate(attackFromPage, target);
}

/** Our port belongs to somebody else, who would like to be taken for us. */
async function besideAStranger(findings: Findings): Promise<Record<string, number>> {
  const asked: string[] = [];
  const stranger = createServer((request, response) => {
    asked.push(wordsOf(request));
    response.setHeader('content-type', 'application/json').end('{"ok":true}');
  });
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
  const host = await HostProcess.start();
  try {
    const port = portOf(stranger);
    await host.stop();
    const start = await host.restart({ server: { port, apiKey: host.apiKey } }).then(
      () => 'started',
      (error: unknown) => String(error),
    );
    findings.expect(start.includes(String(port)), 'a taken port is not named');
    for (const command of ['accounts', 'doctor', 'sign-out']) {
      const args = [command, ...(command === 'sign-out' ? ['acc_x'] : []), '--data-dir', host.dataDir];
      await runCli([...args, '--config', host.configFile]);
    }
    const told = asked.filter((request) => request.includes(host.apiKey) || /authorization/i.test(request));
    findings.expect(told.length === 0, 'the stranger on our port was given the key');
    return { 'requests to a stranger on our port': asked.length };
  } finally {
    await host.destroy();
    await new Promise((resolve) => stranger.close(resolve));
  }
}

function wordsOf(request: IncomingMessage): string {
  return [request.url, ...request.rawHeaders].join(' ');
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

async function filesIn(dataDir: string): Promise<number> {
  return (await readdir(join(dataDir, 'files'), { recursive: true }).catch(() => [])).length;
}
