import { createHash, randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/deadline.js';
import { API_KEY, HostProcess, PASSPHRASE, runCli } from '../support/host-process.js';
import { rawStatus, speakRaw } from '../support/http-client.js';
import { SpecAgent } from '../support/spec-agent.js';
import { UiBrowser, type BridgeSocket } from '../support/ui-browser.js';
import { records } from '../support/wire-rules.js';

describe('the window in a browser (L2, L4 to L6, L13 to L17, E9)', () => {
  let host: HostProcess;
  let browser: UiBrowser;
  let bridge: BridgeSocket;
  beforeAll(async () => {
    host = await HostProcess.start();
  });
  afterAll(() => host.destroy());

  async function freshLink(): Promise<string> {
    const { code, stdout } = await runCli(['ui', '--data-dir', host.dataDir]);
    expect(code).toBe(0);
    return stdout.trim();
  }
  async function letIn(): Promise<void> {
    browser = new UiBrowser(host.url);
    expect((await browser.open(await freshLink())).status).toBe(200);
    bridge = await browser.bridge();
  }
  const result = async (command: string, params: unknown = {}): Promise<Record<string, unknown>> => {
    const answer = await bridge.call(command, params);
    expect(answer).toHaveProperty('result');
    return answer['result'] as Record<string, unknown>;
  };

  it('the ready line names where it is', () => {
    expect(host.ready['ui_url']).toBe(`${host.url}/ui/`);
  });

  it('`ui` prints a fresh link of its own each time, and each opens one browser once', async () => {
    const [first, second] = [await freshLink(), await freshLink()];
    expect(first).toMatch(new RegExp(`^${host.url}/ui/#token=[\\w-]{22,}$`));
    expect(second).not.toBe(first);
    expect((await new UiBrowser(host.url).open(first)).status).toBe(200);
    expect((await new UiBrowser(host.url).open(first)).status).toBe(401);
    expect((await new UiBrowser(host.url).open(second)).status).toBe(200);
  });

  it('`ui` says that no host runs', async () => {
    const { code, stderr, stdout } = await runCli(['ui', '--data-dir', `${host.dataDir}-nowhere`]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('No connector host runs');
  });

  it('a page of another name of ours, or of a foreign one, gets neither page nor session', async () => {
    for (const name of ['evil.example', '127.evil.example', 'localhost.', '127.0.0.1.evil.example']) {
      const answer = await speakRaw(
        host.port,
        `GET /ui/ HTTP/1.1\r\nHost: ${name}:${host.port}\r\nConnection: close\r\n\r\n`,
      );
      expect([name, rawStatus(answer)]).toEqual([name, 403]);
    }
    const link = await freshLink();
    const token = new URL(link).hash.replace('#token=', '');
    for (const headers of [
      { origin: 'http://evil.example' },
      { origin: `http://evil.example:${host.port}`, host: `evil.example:${host.port}` },
      { origin: `http://localhost:${host.port}` },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      expect((await new UiBrowser(host.url).redeem(token, headers)).status).toBe(403);
    }
    expect((await new UiBrowser(host.url).open(link)).status).toBe(200);
  });

  it('the cookie is out of the reach of scripts, other sites and other paths', async () => {
    const answer = await new UiBrowser(host.url).open(await freshLink());
    const [cookie = ''] = answer.headers['set-cookie'] ?? [];
    expect(cookie.split('; ').slice(1).sort()).toEqual(['HttpOnly', 'Max-Age=43200', 'Path=/ui/', 'SameSite=Strict']);
  });

  it('a session and a link of one host mean nothing to another', async () => {
    await letIn();
    const link = await freshLink();
    const other = await HostProcess.start();
    const { cookie } = browser;
    try {
      const visitor = new UiBrowser(other.url);
      visitor.cookie = cookie?.replace(String(host.port), String(other.port));
      expect((await visitor.get('/ui/session')).json()).toEqual({ session: false });
      expect((await visitor.open(link)).status).toBe(401);
    } finally {
      await other.destroy();
    }
  });

  it('E9: no command that a window may give answers with a secret', async () => {
    await letIn();
    const link = await freshLink();
    const secrets = [
      API_KEY,
      PASSPHRASE,
      new URL(link).hash.replace('#token=', ''),
      browser.cookie?.split('=')[1] ?? '-',
    ];
    const { connectors } = await result('snapshot');
    expect(records(connectors).length).toBeGreaterThan(0);
    await bridge.call('subscribe');
    for (const [command, params] of Object.entries({
      'check-secrets': {},
      history: {},
      settings: {},
      doctor: {},
      bundle: {},
      'api-key': {},
      'rotate-api-key': {},
      'ui-link': {},
      'sign-in': { connector: 'local', input: { display_name: 'Canary' } },
      nothing: {},
    })) {
      await bridge.call(command, params);
    }
    for (const path of ['/ui/', '/ui/session', '/ui/bundle']) {
      const { text, headers } = await browser.get(path);
      bridge.received.push({ text, headers: { ...headers } });
    }
    await eventually(() => bridge.snapshots().length > 0, 'a snapshot');
    const said = JSON.stringify(bridge.received.entries);
    for (const secret of secrets) expect(said).not.toContain(secret);
    const logged = host.logs.entries.join('\n');
    for (const secret of secrets) expect(logged).not.toContain(secret);
  });

  describe('with a chat and an agent', () => {
    let agent: SpecAgent;
    let channel: string;
    let accountId: string;

    beforeAll(async () => {
      await letIn();
      agent = await SpecAgent.connect({ baseUrl: host.base('local'), apiKey: host.apiKey });
      channel = await agent.bind('local_pairing', { display_name: 'Kim' });
      const { connectors } = await result('snapshot');
      const accounts = records(connectors).flatMap(({ accounts: own }) => records(own));
      accountId = String(accounts.find(({ displayName }) => displayName === 'Kim')?.['accountId']);
    });
    afterEach(() => agent.assertClean());
    afterAll(async () => {
      bridge.socket.terminate();
      await agent.bye();
    });

    const upload = async (name: string, content: Buffer, type = 'application/octet-stream') =>
      browser.post(`/ui/files?${new URLSearchParams({ account: accountId, name }).toString()}`, {
        headers: { 'content-type': type },
        body: content,
      });
    const messages = async () => records((await result('local-read', { accountId, after: 0 }))['messages']);

    it('what the person adds reaches the agent under refs, several in one message, and the chat says that it has it', async () => {
      const contents = [randomBytes(300_000), Buffer.from('zwei')];
      const tokens: unknown[] = [];
      for (const [index, content] of contents.entries()) {
        const answer = await upload(`datei ${index}.bin`, content);
        expect(answer.status).toBe(200);
        tokens.push(answer.json()['token']);
      }
      const from = agent.messages.mark;
      const { messageId } = await result('local-send', { accountId, text: 'look', files: tokens });
      const message = await agent.messages.next((one) => one.messageId === messageId, 'the message', { from });
      expect(message.text).toBe('look');
      expect(message.files.map(({ filename, byte_size }) => [filename, byte_size])).toEqual([
        ['datei 0.bin', 300_000],
        ['datei 1.bin', 4],
      ]);
      for (const [index, file] of message.files.entries()) {
        const got = await host.get(`/local${String(file['download_url'])}`);
        expect(got.body.equals(contents[index]!)).toBe(true);
      }
      await eventually(async () => {
        const own = (await messages()).find((one) => one['messageId'] === messageId);
        return own?.['state'] === 'delivered';
      }, 'the message to be delivered');
    });

    it('a token is good once, for its own chat alone', async () => {
      const { token } = (await upload('once.txt', Buffer.from('x'), 'text/plain')).json();
      const other = (await result('sign-in', { connector: 'local', input: { display_name: 'Lee' } }))['accountId'];
      const send = (account: unknown) => bridge.call('local-send', { accountId: account, text: '', files: [token] });
      expect(await send(other)).toMatchObject({ error: { code: 'unknown_file' } });
      expect(await send(accountId)).toHaveProperty('result');
      expect(await send(accountId)).toMatchObject({ error: { code: 'unknown_file' } });
    });

    it("the agent's file is read in the window, in parts too, by whoever has a session, and rendered by nobody", async () => {
      const content = Buffer.from('<script>alert(1)</script> 0123456789');
      const { file_ref: ref } = await agent.files.upload(channel, {
        filename: 'page.html',
        content,
        contentType: 'text/html',
      });
      await agent.say(channel, 'see', { files: [{ type: 'file', file_ref: ref }] });
      const shown = (await messages()).flatMap(({ files }) => records(files)).find(({ fileRef }) => fileRef === ref);
      expect(shown).toMatchObject({ filename: 'page.html', byteSize: content.length });
      const path = `/ui/files/${String(ref)}?account=${accountId}`;
      const whole = await browser.get(path);
      expect([whole.status, whole.body.equals(content)]).toEqual([200, true]);
      expect(whole.headers).toMatchObject({
        'content-type': 'application/octet-stream',
        'content-security-policy': 'sandbox',
        'x-content-type-options': 'nosniff',
        'content-disposition': expect.stringMatching(/^attachment;/),
        etag: `"${createHash('sha256').update(content).digest('hex')}"`,
      });
      const part = await browser.get(path, { range: 'bytes=1-6' });
      expect([part.status, part.text]).toEqual([206, 'script']);
      expect((await new UiBrowser(host.url).get(path)).status).toBe(401);
      expect((await browser.get(`/ui/files/${String(ref)}?account=acc_nobody`)).status).toBe(404);
      expect((await browser.get(`/ui/files/file_unknown?account=${accountId}`)).status).toBe(404);
      expect((await browser.get(`/ui/files/..%2f..%2fxagent.db?account=${accountId}`)).status).toBe(404);
    });

    it('a file for a chat that is not there, and an empty one, are refused', async () => {
      expect((await browser.post('/ui/files?account=acc_nobody&name=a', { body: 'x' })).status).toBe(404);
      expect((await upload('empty.txt', Buffer.alloc(0))).status).toBe(400);
    });

    it('a rehearsal passes beside the agent, and the window sees how', async () => {
      await bridge.call('subscribe');
      await result('rehearse');
      const done = await bridge.received.next((message) => {
        const snapshot = message['snapshot'];
        return records([snapshot]).some(({ rehearsal }) =>
          records([rehearsal]).some(({ status }) => status === 'passed'),
        );
      }, 'the rehearsal to pass');
      expect(done['event']).toBe('snapshot');
    });
  });

  it('a message whose file was uploaded outlives a crash together with it', async () => {
    const crashing = await HostProcess.start();
    try {
      const one = new UiBrowser(crashing.url);
      await one.open((await runCli(['ui', '--data-dir', crashing.dataDir])).stdout.trim());
      const socket = await one.bridge();
      const signedIn = await socket.call('sign-in', { connector: 'local', input: { display_name: 'Kim' } });
      const { accountId } = signedIn['result'] as { accountId: string };
      const content = randomBytes(50_000);
      const { token } = (await one.post(`/ui/files?account=${accountId}&name=a.bin`, { body: content })).json();
      await socket.call('local-send', { accountId, text: 'kept', files: [token] });
      await crashing.kill();
      await crashing.restart();
      const agent = await SpecAgent.connect({ baseUrl: crashing.base('local'), apiKey: crashing.apiKey });
      const channel = await agent.bind('local_pairing', { display_name: 'Kim' });
      const message = await agent.messages.next(({ text }) => text === 'kept', 'the message that was kept');
      expect(message.packet.connector_channel_id).toBe(channel);
      const got = await crashing.get(`/local${String(message.files[0]?.['download_url'])}`);
      expect(got.body.equals(content)).toBe(true);
      await agent.bye();
    } finally {
      await crashing.destroy();
    }
  });
});
