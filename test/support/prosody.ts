import { spawn, type ChildProcess } from 'node:child_process';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from './deadline.js';

const run = promisify(execFile);

export const DOMAIN = 'chat.test';
const STOP_MS = 10_000;

export interface ProsodyOptions {
  /** Files go up to the server; on unless said otherwise. */
  readonly upload?: boolean;
  /** The server keeps an archive; on unless said otherwise. */
  readonly archive?: boolean;
  /** Acknowledgments (XEP-0198); on unless said otherwise. */
  readonly acks?: boolean;
  /** Nobody gets in without TLS, and the certificate is one that a client that trusts {@link Prosody.caFile} accepts. */
  readonly tls?: boolean;
}

/**
 * A real XMPP server: Debian's Prosody on loopback, with a configuration, data folder and accounts of its own. It runs as whoever
 * runs the tests; root is allowed for containers.
 */
export class Prosody {
  /** PEM of the authority that signed the server's certificate; only with `tls`. */
  readonly caFile: string;
  readonly #folder: string;
  readonly #options: ProsodyOptions;
  readonly #ports: { c2s: number; tls: number; http: number };
  #child: ChildProcess | undefined;
  #output = '';

  private constructor(folder: string, options: ProsodyOptions, ports: { c2s: number; tls: number; http: number }) {
    this.#folder = folder;
    this.#options = options;
    this.#ports = ports;
    this.caFile = join(folder, 'ca.pem');
  }

  static async start(options: ProsodyOptions = {}): Promise<Prosody> {
    const folder = await mkdtemp(join(tmpdir(), 'prosody-'));
    const [c2s = 0, tls = 0, http = 0] = await freePorts(3);
    const prosody = new Prosody(folder, options, { c2s, tls, http });
    await mkdir(join(folder, 'data'));
    if (options.tls) await prosody.#makeCertificates();
    await writeFile(prosody.#config, prosody.#configText());
    await prosody.resume();
    return prosody;
  }

  get port(): number {
    return this.#ports.c2s;
  }

  get httpPort(): number {
    return this.#ports.http;
  }

  /** The service as it is configured in the product. */
  get service(): string {
    return `xmpp://127.0.0.1:${String(this.#ports.c2s)}`;
  }

  /** TLS from the first byte. */
  get tlsService(): string {
    return `xmpps://127.0.0.1:${String(this.#ports.tls)}`;
  }

  get #config(): string {
    return join(this.#folder, 'prosody.cfg.lua');
  }

  async account(name: string, password: string): Promise<string> {
    await run('prosodyctl', ['--config', this.#config, 'register', name, DOMAIN, password]);
    return `${name}@${DOMAIN}`;
  }

  /** Starts the process again after {@link pause}. */
  async resume(): Promise<void> {
    const child = spawn('prosody', ['--config', this.#config, '-F'], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (this.#output += text));
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`prosody ended: ${this.#output.slice(-2_000)}`);
      return accepts(this.#ports.c2s);
    }, 'prosody to accept connections');
  }

  /** Stops the process; what it stored stays. */
  async pause(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(timer);
  }

  async restart(): Promise<void> {
    await this.pause();
    await this.resume();
  }

  async stop(): Promise<void> {
    await this.pause('SIGKILL');
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** What it logged, for a test that wants to know why. */
  get log(): string {
    return this.#output;
  }

  async #makeCertificates(): Promise<void> {
    const at = (name: string): string => join(this.#folder, name);
    const openssl = (...args: string[]) => run('openssl', args);
    const key = ['-newkey', 'rsa:2048', '-nodes', '-days', '2'];
    await openssl('req', '-x509', ...key, '-keyout', at('ca.key'), '-out', this.caFile, '-subj', '/CN=test authority');
    await openssl('req', ...key.slice(0, 3), '-keyout', at('key.pem'), '-out', at('csr.pem'), '-subj', `/CN=${DOMAIN}`);
    await writeFile(at('ext'), `subjectAltName=DNS:${DOMAIN}\n`);
    const sign = ['x509', '-req', '-in', at('csr.pem'), '-CA', this.caFile, '-CAkey', at('ca.key'), '-CAcreateserial'];
    await openssl(...sign, '-out', at('cert.pem'), '-days', '2', '-extfile', at('ext'));
  }

  #configText(): string {
    const { upload = true, archive = true, acks = true, tls = false } = this.#options;
    const modules = ['roster', 'saslauth', 'disco', 'carbons', 'ping', 'offline', 'presence', 'message', 'iq', 'pep'];
    if (archive) modules.push('mam');
    if (acks) modules.push('smacks');
    if (tls) modules.push('tls');
    const certificate = `{ certificate = "${this.#folder}/cert.pem"; key = "${this.#folder}/key.pem" }`;
    return `
      run_as_root = true
      pidfile = "${this.#folder}/prosody.pid"
      data_path = "${this.#folder}/data"
      certificates = "${this.#folder}"
      log = { info = "*console" }
      interfaces = { "127.0.0.1" }
      c2s_ports = { ${String(this.#ports.c2s)} }
      ${tls ? `c2s_direct_tls_ports = { ${String(this.#ports.tls)} }` : ''}
      ${tls ? `ssl = ${certificate}` : ''}
      ${tls ? `c2s_direct_tls_ssl = ${certificate}` : ''}
      s2s_ports = {}
      http_interfaces = { "127.0.0.1" }
      http_ports = { ${String(this.#ports.http)} }
      https_ports = {}
      http_default_host = "upload.${DOMAIN}"
      http_external_url = "http://127.0.0.1:${String(this.#ports.http)}/"
      modules_disabled = { "s2s", "posix" }
      modules_enabled = { ${modules.map((name) => `"${name}"`).join(', ')} }
      authentication = "internal_hashed"
      storage = "internal"
      c2s_require_encryption = ${String(tls)}
      archive_expires_after = "never"
      VirtualHost "${DOMAIN}"
      ${upload ? `Component "upload.${DOMAIN}" "http_file_share"\n http_file_share_size_limit = 5 * 1024 * 1024` : ''}
    `;
  }
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) => {
          server.listen(0, '127.0.0.1', () => {
            const address = server.address();
            resolve(typeof address === 'object' && address ? address.port : 0);
          });
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
