export interface Attempt {
  readonly how: string;
  /** Everything the page could see of an answer; `open` first when a socket opened. */
  readonly read: string;
}

export interface HostileTarget {
  readonly url: string;
  readonly apiKey: string;
  readonly ref: string;
  readonly channel: string;
}

/**
 * Runs inside a web page and tries everything a page has to reach a server on this machine; even with the key, which no page has.
 * It must refer to nothing outside itself.
 */
export async function attackFromPage({ url, apiKey, ref, channel }: HostileTarget): Promise<Attempt[]> {
  const page = globalThis as unknown as {
    document: {
      createElement(name: string): Record<string, unknown> & { remove(): void };
      body: { append(element: unknown): void };
    };
    navigator: { sendBeacon(url: string, data: unknown): boolean };
  };
  const WAIT_MS = 4_000;
  const late = (): Promise<string> => new Promise((resolve) => setTimeout(() => resolve('nothing'), WAIT_MS));
  const paths = [
    '/local/connector-card.json',
    '/local/skill.md',
    '/local/health',
    '/status',
    '/metrics',
    `/local/files/refs/${ref}`,
    `/files/refs/${ref}`,
    '/ui/',
    '/ui/session',
    '/',
  ];
  const attempts: { how: string; read: Promise<string> }[] = [];
  const attempt = (how: string, read: Promise<string>): void => {
    attempts.push({ how, read: Promise.race([read.catch((error: unknown) => `failed ${String(error)}`), late()]) });
  };
  const look = async (path: string, init: RequestInit): Promise<string> => (await fetch(url + path, init)).text();

  for (const path of paths) {
    attempt(`fetch ${path}`, look(path, { credentials: 'include' }));
    attempt(`fetch ${path} without CORS`, look(path, { mode: 'no-cors', credentials: 'include' }));
    attempt(`fetch ${path} with the key`, look(path, { headers: { authorization: `Bearer ${apiKey}` } }));
    attempt(
      `HEAD ${path}`,
      fetch(url + path, { method: 'HEAD', mode: 'no-cors' }).then(({ status }) => String(status)),
    );
    for (const tag of ['img', 'script', 'iframe', 'link', 'object', 'video']) {
      const read = new Promise<string>((resolve) => {
        const element = page.document.createElement(tag);
        if (tag === 'link') element['rel'] = 'stylesheet';
        element[tag === 'link' ? 'href' : tag === 'object' ? 'data' : 'src'] = url + path;
        element['onload'] = () => {
          const inner = element['contentDocument'] as { body?: { innerText?: string } } | null | undefined;
          resolve(tag === 'iframe' ? (inner?.body?.innerText ?? 'closed') : `loaded`);
        };
        element['onerror'] = () => resolve('refused');
        page.document.body.append(element);
      });
      attempt(`<${tag}> ${path}`, read);
    }
  }

  const form = new FormData();
  form.append('file', new Blob(['planted by a page']), 'planted.txt');
  const headers = { authorization: `Bearer ${apiKey}`, 'x-xagent-connector-channel-id': channel };
  attempt('upload', look('/local/files/uploads', { method: 'POST', mode: 'no-cors', body: form }));
  attempt('upload with the key', look('/local/files/uploads', { method: 'POST', body: form, headers }));
  attempt('upload by beacon', Promise.resolve(String(page.navigator.sendBeacon(`${url}/local/files/uploads`, form))));

  const socketUrl = url.replace('http', 'ws');
  for (const [path, protocols] of [
    ['/local/ws', ['xagent.connector.packet.v1']],
    ['/local/ws', ['xagent.connector.packet.v1', apiKey.replace(/[^\w.-]/g, '')]],
    ['/local/ws', []],
    ['/ui/bridge', []],
    ['/ui/ws', []],
  ] as [string, string[]][]) {
    const read = new Promise<string>((resolve) => {
      const socket = new WebSocket(socketUrl + path, protocols);
      socket.onopen = () => resolve('open');
      socket.onerror = () => resolve('refused');
    });
    attempt(`WebSocket ${path} ${protocols.length}`, read);
  }
  return Promise.all(attempts.map(async ({ how, read }) => ({ how, read: await read })));
}
