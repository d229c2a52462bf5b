import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { dirname } from 'node:path';
import type { Snapshot } from '../bridge/index.js';
import { buildFacts } from './build-facts.js';
import type { Config, ConnectorName } from './config-schema.js';
import { NETWORK_NAMES } from './targets.js';
import { openSecretStore } from '../store/secrets/index.js';

/** One thing that was looked at. `todo` says what the person can do; empty when there is nothing to do. */
export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'broken';
  readonly detail: string;
  readonly todo: string;
}

/** Below this the next files and messages may not fit; bytes. */
const LOW_SPACE_BYTES = 512 * 1024 * 1024;
/** Below this the database itself is in danger; bytes. */
const NO_SPACE_BYTES = 16 * 1024 * 1024;
/** A network that has not answered by then counts as unreachable; milliseconds. */
const REACH_DEADLINE_MS = 8_000;
/** Sign-ins and TLS begin to fail somewhere beyond this; milliseconds. */
const MAX_CLOCK_SKEW_MS = 5 * 60_000;
/** Rights of group and others on a folder. */
const OTHERS_RIGHTS = 0o077;

const MIB = 1024 * 1024;

/** @param freeBytesOf how much room a folder has, bytes; undefined when that can't be said */
export function checkDataDir(dataDir: string, freeBytesOf = freeBytes): Finding {
  const check = 'data directory';
  const existing = nearestExisting(dataDir);
  try {
    accessSync(existing, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return broken(
      check,
      `${existing} can't be written`,
      'give yourself the rights to it, or choose another with --data-dir',
    );
  }
  const free = freeBytesOf(existing) ?? Infinity;
  const space = [
    `only ${Math.floor(free / MIB)} MB are free`,
    'free some space: without it nothing is taken in',
  ] as const;
  if (free < NO_SPACE_BYTES) return broken(check, ...space);
  if (existing === dataDir && process.platform !== 'win32' && (statSync(dataDir).mode & OTHERS_RIGHTS) !== 0) {
    return warn(check, `${dataDir} can be read by others`, `chmod 700 ${dataDir}`);
  }
  if (free < LOW_SPACE_BYTES) return warn(check, ...space);
  return ok(check, existing === dataDir ? `${dataDir} is usable` : `${dataDir} will be made`);
}

/** @param running the host that runs on this data directory, which then holds the port itself */
export async function checkPort(config: Config, running: Snapshot | undefined): Promise<Finding> {
  const { host, port } = config.server;
  if (running !== undefined) return ok('port', `the host listens on ${running.url}`);
  if (port === 0) return ok('port', 'a free port is taken at the start');
  const code = await tryToListen(host, port);
  if (code === undefined) return ok('port', `${host}:${port} is free`);
  if (code === 'EADDRINUSE') {
    return broken(
      'port',
      `port ${port} is in use by another program`,
      'stop it, or choose another port (server.port or --port)',
    );
  }
  return broken(
    'port',
    `${host}:${port} can't be bound (${code})`,
    'choose another port above 1023 (server.port or --port)',
  );
}

export async function checkSecrets(
  config: Config,
  dataDir: string,
  passphrase: string | undefined,
  running: Snapshot | undefined,
): Promise<Finding> {
  const check = config.secrets.store === 'keychain' ? 'keychain' : 'secret file';
  const found = running === undefined ? await probeSecrets(config, dataDir, passphrase) : running.secrets;
  const reason = 'code' in found && found.code !== undefined ? ` (${found.code})` : '';
  switch (found.state) {
    case 'ready':
      return ok(check, 'ready');
    case 'locked':
      return broken(check, `locked${reason}`, 'unlock it, or give the right XAGENT_CONNECTOR_PASSPHRASE');
    case 'absent':
      return broken(
        check,
        `not there${reason}`,
        'start a keychain (such as gnome-keyring), or set secrets.store to "file"',
      );
    case 'failed':
      return broken(check, `does not answer as it should${reason}`, 'restart the keychain, then try again');
  }
}

/** Compares with the build's own time and, where networks answered, with theirs. */
export function checkClock(now: number, networkTimes: readonly number[]): Finding {
  const todo = 'set the clock of this computer, best automatically';
  const built = buildTime();
  if (built !== undefined && now < built) return broken('clock', 'it is before this program was made', todo);
  const skews = networkTimes.map((time) => Math.abs(time - now));
  const skew = skews.length === 0 ? 0 : Math.min(...skews);
  if (skew > MAX_CLOCK_SKEW_MS) return broken('clock', `it is ${Math.round(skew / 60_000)} minutes off`, todo);
  return ok('clock', skews.length === 0 ? 'plausible' : 'agrees with the networks');
}

/** Where each network of this build is reached. */
const ROOTS: Readonly<Record<ConnectorName, (config: Config) => readonly string[]>> = {
  wechat: ({ connectors }) => [connectors.wechat.apiBaseUrl],
  telegram: ({ connectors }) => [connectors.telegram.apiRoot],
  feishu: ({ connectors }) => [connectors.feishu.apiBaseUrl, connectors.feishu.accountsBaseUrl],
  // Without a configured service each account's own domain says where it is.
  xmpp: ({ connectors }) => (connectors.xmpp.service === null ? [] : [connectors.xmpp.service]),
  local: () => [],
};

/**
 * @param signedIn whether an account of a network is signed in; one that nobody uses may be out of reach for good
 * @returns the findings, and what the networks say the time is
 */
export async function checkNetworks(
  config: Config,
  signedIn: (name: string) => boolean,
): Promise<{ findings: Finding[]; times: number[] }> {
  const names = (Object.keys(ROOTS) as ConnectorName[]).filter(
    (name) => NETWORK_NAMES.includes(name) && config.connectors[name].enabled,
  );
  const reached = await Promise.all(
    names.flatMap((name) =>
      ROOTS[name](config).map(async (root) => ({ name, host: new URL(root).host, ...(await reach(root)) })),
    ),
  );
  return {
    findings: reached.map(({ name, host, answered, code }) => {
      if (answered) return ok(name, `${host} answers`);
      const detail = `${host} can't be reached (${code})`;
      if (!signedIn(name)) return warn(name, `${detail}; nobody is signed in there`, 'nothing, unless you mean to');
      return broken(name, detail, 'check the network, a proxy, or the address in the configuration');
    }),
    times: reached.flatMap(({ time }) => (time === undefined ? [] : [time])),
  };
}

/**
 * Whether the AgentServer is there, when something delivers to it. Never by a connection of its own to the WebSocket: when any
 * of those closes, a server cancels everything it is working on.
 */
export async function checkAgentServer(config: Config, running: Snapshot | undefined): Promise<Finding[]> {
  const check = 'agent server';
  const todo = 'start the AgentServer, or correct agentServer.url';
  if (running !== undefined && running.agentServer.accounts > 0) {
    const { state } = running.agentServer;
    if (state.status === 'connected') return [ok(check, 'connected')];
    return [broken(check, 'code' in state ? `${state.status} (${state.code})` : state.status, todo)];
  }
  const isUsed = Object.values(config.connectors).some(
    ({ enabled, deliverTo }) => enabled && deliverTo === 'agentServer',
  );
  if (!isUsed) return [];
  const { host } = new URL(config.agentServer.url);
  const { answered, code } = await reach(config.agentServer.url);
  return [
    answered ? ok(check, `${host} takes connections`) : broken(check, `${host} can't be reached (${code})`, todo),
  ];
}

/** Each sign-in as the running host sees it. */
export function checkBindings(running: Snapshot | undefined): Finding[] {
  if (running === undefined)
    return [warn('accounts', 'no host runs, so no sign-in was looked at', 'start it with "serve" or the app')];
  return running.connectors.flatMap(({ name, accounts }) =>
    accounts.map((account): Finding => {
      const check = `${name} ${account.displayName}`;
      const { state } = account;
      const detail = 'code' in state ? `${state.status} (${state.code})` : state.status;
      switch (state.status) {
        case 'connected':
          return ok(check, detail);
        case 'degraded':
        case 'offline':
          return broken(check, detail, remedyFor('code' in state ? state.code : ''));
        case 'expired':
        case 'revoked':
        case 'error':
          return broken(check, detail, `sign in again: sign-in ${name}`);
      }
    }),
  );
}

/** What helps an account that is out of touch for this reason. */
function remedyFor(code: string): string {
  if (code.startsWith('secrets_')) return 'unlock the keychain, or give the right XAGENT_CONNECTOR_PASSPHRASE';
  if (code.startsWith('store_')) return 'see to the disk of this computer: messages are fetched again by themselves';
  return 'the host goes on trying; check the network if it lasts';
}

interface Reached {
  readonly answered: boolean;
  readonly code: string;
  readonly time: number | undefined;
}

function reach(root: string): Promise<Reached> {
  const url = new URL(root);
  return url.protocol === 'http:' || url.protocol === 'https:' ? reachWeb(root) : reachPort(url);
}

/** Where a service without a port in its address listens. */
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'xmpp:': 5222, 'xmpps:': 5223, 'ws:': 80, 'wss:': 443 };

/** A service that speaks no HTTP: it answers when it takes a connection. */
function reachPort({ protocol, hostname, port }: URL): Promise<Reached> {
  return new Promise((resolve) => {
    const host = hostname.replace(/^\[|\]$/g, '');
    const socket = connect({ host, port: port === '' ? (DEFAULT_PORTS[protocol] ?? 0) : Number(port) });
    const end = (answered: boolean, code: string): void => {
      socket.destroy();
      resolve({ answered, code, time: undefined });
    };
    socket.setTimeout(REACH_DEADLINE_MS, () => end(false, 'TimeoutError'));
    socket.once('connect', () => end(true, 'open'));
    socket.once('error', (error) => end(false, failureCode(error)));
  });
}

async function reachWeb(root: string): Promise<Reached> {
  try {
    const response = await fetch(root, { redirect: 'manual', signal: AbortSignal.timeout(REACH_DEADLINE_MS) });
    await response.body?.cancel();
    const time = Date.parse(response.headers.get('date') ?? '');
    return { answered: true, code: String(response.status), time: Number.isNaN(time) ? undefined : time };
  } catch (error) {
    return { answered: false, code: failureCode(error), time: undefined };
  }
}

function failureCode(error: unknown): string {
  const cause: unknown = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') return cause.code;
  return cause instanceof Error ? cause.name : 'unknown';
}

async function probeSecrets(config: Config, dataDir: string, passphrase: string | undefined) {
  const store = openSecretStore({ kind: config.secrets.store, dataDir, passphrase });
  try {
    return await store.probe();
  } finally {
    await store.close();
  }
}

function tryToListen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

function nearestExisting(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestExisting(dirname(folder));
}

function freeBytes(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

/** yyMMddHHmm in UTC, as stamped; undefined for a run from source. */
function buildTime(): number | undefined {
  const parts = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(buildFacts.build_time)?.slice(1).map(Number);
  if (parts === undefined) return undefined;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0] = parts;
  return Date.UTC(2000 + year, month - 1, day, hour, minute);
}

function ok(check: string, detail: string): Finding {
  return { check, status: 'ok', detail, todo: '' };
}

function warn(check: string, detail: string, todo: string): Finding {
  return { check, status: 'warn', detail, todo };
}

function broken(check: string, detail: string, todo: string): Finding {
  return { check, status: 'broken', detail, todo };
}
