import { join } from 'node:path';
import { createAgentServer } from '../agent-server/index.js';
import { systemClock, type Clock } from '../base/clock.js';
import { describeError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { isLoopbackHost } from '../base/loopback.js';
import type { Snapshot } from '../bridge/index.js';
import { createConnector, type Connector } from '../connector/index.js';
import { createDelivery } from '../delivery/index.js';
import { createFileStore } from '../files/index.js';
import { buildStatusReport, createServer, createUi, DEFAULT_LIMITS, type Server } from '../server/index.js';
import { lockDataDir } from '../store/data-dir-lock.js';
import { openStore } from '../store/index.js';
import { openSecretStore, type SpawnWorker } from '../store/secrets/index.js';
import type { SecretStore } from '../store/secrets/secret-store.js';
import type { LocalChat } from '../targets/local/index.js';
import { ApiKeyKeeper } from './api-key.js';
import { buildFacts } from './build-facts.js';
import { createCommands, type Execute } from './commands.js';
import type { Config } from './config-schema.js';
import { openControlSocket } from './control-socket.js';
import { Listeners } from './listeners.js';
import { LogFile, RESPONSE_LOG_FILE } from './log-file.js';
import { createLogging, LOGS_FOLDER, type LogOutput } from './logging.js';
import { registeringSecretStore, SecretRegistry } from './secret-registry.js';
import { PulseBoard } from './pulse.js';
import { createStage, Rehearsal } from './rehearsal/index.js';
import { createSnapshots } from './snapshot.js';
import { StopSequence } from './stop-sequence.js';
import { createTargets, localTargetOf } from './targets.js';
import { createUiPort } from './ui-port.js';
import { watchedSecretStore } from './watched-secret-store.js';

/** The built window, beside the bundle that this is part of. */
const WINDOW_FOLDER = join(__dirname, 'renderer');

export interface HostOptions {
  readonly config: Config;
  /** Absolute; made when it does not exist. */
  readonly dataDir: string;
  /** Of the `file` secret store; from XAGENT_CONNECTOR_PASSPHRASE. */
  readonly passphrase?: string | undefined;
  readonly clock?: Clock;
  readonly random?: () => number;
  /** Where log lines go besides the files; standard error by default. */
  readonly logOutput?: LogOutput;
  /** How the keychain's process is started; a Node child process by default. */
  readonly spawnWorker?: SpawnWorker;
}

/** A running connector host, without any window. */
export interface Host {
  /** Where it listens: `http://127.0.0.1:19080`. */
  readonly url: string;
  readonly port: number;
  readonly connectors: readonly { readonly cardId: string; readonly baseUrl: string }[];
  readonly log: Logger;
  /** The person's side of the local chat; undefined while it is switched off. */
  readonly localChat: LocalChat | undefined;
  /** Carries out a command of the bridge. @throws CommandError */
  readonly execute: Execute;
  snapshot(): Snapshot;
  /** Called after something that snapshots show has changed; at most once a turn of the event loop. */
  onChange(fn: () => void): () => void;
  /** The machine slept, its network changed, or the person may have unlocked the keychain: try again now. */
  wake(): void;
  /** Stops accepting, finishes or parks what is in flight, closes sockets with 1001, flushes. Within 5 s. */
  close(): Promise<void>;
}

/** The host can't run as it is set up; the message says what to do. The process ends with exit code 1. */
export class HostStartError extends Error {
  override readonly name = 'HostStartError';
  constructor(
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * Starts everything in its order: data-directory lock, log, store, secrets, files, delivery, connectors, server, control
 * socket. When a step fails, what was started before is stopped again.
 * @throws HostStartError, DataDirLockedError, StoreError, PortInUseError, ServerConfigError
 */
export async function startHost(options: HostOptions): Promise<Host> {
  const stops = new StopSequence(options.clock ?? systemClock);
  try {
    return await start(options, stops);
  } catch (error) {
    await stops.run();
    throw error;
  }
}

async function start(options: HostOptions, stops: StopSequence): Promise<Host> {
  const { config, dataDir } = options;
  const clock = options.clock ?? systemClock;
  const random = options.random ?? Math.random;
  const registry = new SecretRegistry();
  if (options.passphrase !== undefined) registry.add(options.passphrase);

  const lock = await lockDataDir(dataDir);
  stops.add('data directory lock', () => lock.release());

  const logging = createLogging({
    level: config.log.level,
    dataDir,
    clock,
    secrets: registry,
    ...(options.logOutput === undefined ? {} : { output: options.logOutput }),
  });
  const { log } = logging;
  stops.add('log', () => logging.close());
  stops.report((step, error) => log.error({ step, error: describeError(error) }, 'a part did not stop as it should'));
  log.info({ ...buildFacts, node: process.version, platform: process.platform }, 'the host starts');

  const store = await openStore({ dataDir, clock, log });
  stops.add('store', () => store.close());

  const secrets = registeringSecretStore(openSecrets(options), registry);
  stops.add('secret store', () => secrets.close());

  const files = createFileStore({ store, dataDir, clock, log, options: config.files });
  stops.add('files', () => files.close());

  const connectors: Connector[] = [];
  // Stopped after delivery: the sends under way need the sessions that end here.
  stops.add('connectors', async () => {
    await Promise.all(connectors.map((connector) => connector.close()));
  });

  const delivery = createDelivery({ store, files, clock, log, random, options: config });
  stops.add('delivery', () => delivery.close());

  const responseLog = new LogFile(join(dataDir, LOGS_FOLDER), clock, RESPONSE_LOG_FILE);
  stops.add('response log', () => responseLog.close());
  const agentServer = createAgentServer({
    delivery,
    store,
    files,
    dataDir,
    responseLog: (line) => responseLog.write(`${line}\n`),
    clock,
    log,
    random,
    options: {
      ...config.agentServer,
      isLocal: isLoopbackHost(new URL(config.agentServer.url).hostname),
      pendingTtlMs: config.delivery.ttlMs,
      filesTtlMs: config.files.ttlMs,
    },
  });
  await agentServer.start();

  const changes = new Listeners();
  const apiKey = new ApiKeyKeeper({
    configured: config.server.apiKey,
    secrets,
    registry,
    clock,
    log,
    random,
    changed(ready) {
      // Accounts that waited for their credentials need not wait for their own next try.
      if (ready) for (const connector of connectors) connector.wake();
      changes.notify();
    },
  });
  stops.add('api key', async () => apiKey.close());
  // Asked while the rest is made: a keychain is a process to be started, a passphrase takes half a second to become a key.
  const asked = apiKey.check();

  const targets = await createTargets(config, files);
  for (const { name, target } of targets) {
    const connector = createConnector({
      target,
      delivery,
      agentServer,
      store,
      secrets: watchedSecretStore(secrets, () => void apiKey.check()),
      files,
      clock,
      log,
      random,
      build: buildFacts,
      confidential: (secret) => registry.add(secret),
      options: {
        graceMs: config.lease.graceMs,
        sessionTtlMs: config.auth.sessionTtlMs,
        profile: config.connectors[name].profile,
        apiKeyRequired: true,
        deliverTo: config.connectors[name].deliverTo,
      },
    });
    connectors.push(connector);
  }
  // Before delivery: nothing may be begun that can't be answered.
  stops.add('agent server', () => agentServer.close());

  const stage = createStage({
    delivery,
    store,
    secrets: watchedSecretStore(secrets, () => void apiKey.check()),
    files,
    clock,
    log,
    random,
    build: buildFacts,
    messageTtlMs: config.delivery.ttlMs,
  });
  stops.add('rehearsal stage', () => stage.connector.close());

  const startedAt = clock.now();
  const startedMono = clock.monotonic();
  const localChat = localTargetOf(targets)?.chat;
  const onChange = (fn: () => void): (() => void) => changes.add(fn);
  const ui = createUi({
    port: createUiPort({ execute: () => execute, snapshot: () => snapshot(), onChange, chat: localChat, log }),
    folder: WINDOW_FOLDER,
    maxUploadBytes: config.files.maxUploadBytes,
    limits: DEFAULT_LIMITS,
    clock,
    log,
  });
  const server: Server = createServer({
    connectors,
    files,
    delivery,
    apiKey,
    status: () =>
      buildStatusReport(connectors, delivery, {
        build: buildFacts,
        now: clock.now(),
        uptimeMs: clock.monotonic() - startedMono,
      }),
    options: { ...config.server, maxUploadBytes: config.files.maxUploadBytes },
    rehearsal: stage,
    mounts: [ui.mount],
    clock,
    log,
  });

  // Whoever knows the key may come at once; one that the store keeps has to be there first.
  if (config.server.apiKey === null) await asked;
  await Promise.all(connectors.map((connector) => connector.start()));
  const address = await server.listen();
  stops.add('server', () => server.close());
  const url = `http://${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`;

  const pulse = new PulseBoard({
    clock,
    accounts: () => connectors.flatMap((connector) => connector.accounts()),
    changed: () => changes.notify(),
  });
  stops.add('pulse', async () => pulse.close());

  let paused = false;
  const rehearsal = new Rehearsal({
    stage,
    url: () => url,
    key: () => apiKey.current(),
    connectors: connectors.map(({ name, card }) => ({ name, cardId: card.connector_card_id })),
    secretsReady: () => apiKey.state.state === 'ready',
    paused: () => paused,
    clock,
    log,
    changed: () => changes.notify(),
  });
  stops.add('rehearsal', () => rehearsal.close());
  void stage.tidy();
  const snapshot = createSnapshots({
    version: buildFacts.version,
    dataDir,
    startedAt,
    clock,
    store,
    delivery,
    connectors,
    secrets: () => apiKey.state,
    agentServer: () => agentServer.facts(),
    paused: () => paused,
    server: () => ({ state: 'listening' }),
    apiKey: () => apiKey.facts,
    agents: () => server.agents(),
    refusedKeys: () => server.refusedKeys,
    rehearsal: () => rehearsal.snapshot,
    pulse: (accountId) => pulse.of(accountId),
    address: () => ({ url, port: address.port }),
  });
  const execute = createCommands({
    connectors,
    delivery,
    localChat,
    log,
    snapshot,
    setPaused(value) {
      paused = value;
      delivery.pause(value);
      changes.notify();
    },
    apiKey: async () => apiKey.require(),
    rotateApiKey: () => apiKey.rotate(),
    rehearsal,
    uiLink: () => `${url}${ui.newLink()}`,
    async checkSecrets() {
      await apiKey.check();
      return apiKey.state;
    },
  });
  for (const off of watch([...connectors, delivery, agentServer], () => changes.notify())) {
    stops.add('listeners', async () => off());
  }

  const control = await openControlSocket({ dataDir, execute, snapshot, onChange, clock, log });
  stops.add('control socket', () => control.close());
  log.info({ url, connectors: connectors.map(({ name }) => name) }, 'the host is ready');

  return {
    url,
    port: address.port,
    connectors: connectors.map((connector) => ({
      cardId: connector.card.connector_card_id,
      baseUrl: `${url}/${connector.name}`,
    })),
    log,
    localChat,
    execute,
    snapshot,
    onChange,
    wake() {
      void apiKey.check();
      agentServer.wake();
      pulse.wake();
      for (const connector of connectors) connector.wake();
    },
    async close() {
      log.info('the host stops');
      await stops.run();
    },
  };
}

function openSecrets({ config, dataDir, passphrase, spawnWorker }: HostOptions): SecretStore {
  const kind = config.secrets.store;
  if (kind === 'keychain') return openSecretStore({ kind, dataDir, spawnWorker });
  if (passphrase === undefined || passphrase === '') {
    throw new HostStartError(
      'passphrase_missing',
      '"secrets": {"store": "file"} needs a passphrase in the environment variable XAGENT_CONNECTOR_PASSPHRASE',
    );
  }
  return openSecretStore({ kind, dataDir, passphrase });
}

function watch(parts: readonly { onChange(fn: () => void): () => void }[], changed: () => void): (() => void)[] {
  return parts.map((part) => part.onChange(changed));
}
