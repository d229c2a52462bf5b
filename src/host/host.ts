import { join } from 'node:path';
import { systemClock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import { within } from '../base/within.js';
import type { SecretsSnapshot, Snapshot } from '../bridge/index.js';
import { createConnector, type Connector } from '../connector/index.js';
import { createDelivery } from '../delivery/index.js';
import { buildStatusReport, createServer, createUi, DEFAULT_LIMITS, type Server } from '../server/index.js';
import type { LocalChat } from '../targets/local/index.js';
import { apiKeyRecord } from './api-key-record.js';
import { ApiKeyKeeper } from './api-key.js';
import { buildFacts } from './build-facts.js';
import { CommandError } from './command-error.js';
import { createCommands, type Execute } from './commands.js';
import { openControlSocket } from './control-socket.js';
import { createDiagnostics } from './diagnostics.js';
import { openFoundation } from './foundation.js';
import { agentServerStatus, startAgentServer } from './host-agent-server.js';
import type { HostOptions } from './host-options.js';
import { Listeners } from './listeners.js';
import { PortKeeper } from './port-keeper.js';
import { PulseBoard } from './pulse.js';
import { createStage, Rehearsal } from './rehearsal/index.js';
import { SettingsKeeper } from './settings-keeper.js';
import { createSnapshots } from './snapshot.js';
import { StopSequence } from './stop-sequence.js';
import { createTargets, localTargetOf } from './targets.js';
import { createUiPort } from './ui-port.js';
import { WaysOut } from './ways-out.js';
import { secretNames } from './vault.js';
import { watchedSecretStore } from './watched-secret-store.js';

/** The built window, beside the bundle that this is part of. */
const WINDOW_FOLDER = join(__dirname, 'renderer');

/**
 * How long the secret store may take to give out the accounts' credentials before agents are let in without, milliseconds: a
 * passphrase becomes a key within it, while a keychain that is locked keeps nobody waiting for longer.
 */
const OPENING_WAIT_MS = 1_500;

/** A running connector host, without any window. */
export interface Host {
  /** Where it listens, or will once the port is free: `http://127.0.0.1:19080`. Changes when a person chooses another port. */
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
  /** The names of the secrets that it left in its secret store; undefined until it is closed, or when they could not be read. */
  readonly secretsLeft: readonly string[] | undefined;
}

/**
 * Starts everything in its order: data-directory lock, log, store, secrets, files, delivery, connectors, server, control
 * socket. When a step fails, what was started before is stopped again.
 * @throws HostStartError, DataDirLockedError, StoreError, ServerConfigError; PortInUseError and PortForbiddenError unless told to wait
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
  const base = await openFoundation(options, stops);
  const { config, dataDir, clock, random, log, registry, store, secrets, files } = base;

  let secretsLeft: readonly string[] | undefined;
  // Nothing writes any more, and the store is still open.
  stops.add('names of secrets', async () => void (secretsLeft = secretNames(store.sql)));

  const connectors: Connector[] = [];
  // Stopped after delivery: the sends under way need the sessions that end here.
  stops.add('connectors', async () => {
    await Promise.all(connectors.map((connector) => connector.close()));
  });

  /** Accounts of rehearsals: nobody's messages. */
  const played = new Set<string>();
  const uncounted = (accountId: string): boolean => played.has(accountId);
  const delivery = createDelivery({ store, files, clock, log, random, options: config, uncounted });
  stops.add('delivery', () => delivery.close());
  const agentServer = await startAgentServer(base, delivery, stops);

  const changes = new Listeners();
  const apiKey = new ApiKeyKeeper({
    configured: config.server.apiKey,
    secrets,
    registry,
    record: apiKeyRecord(store, log),
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
  apiKey.onRotate(() => changes.notify());
  // Asked while the rest is made: a keychain is a process to be started, a passphrase takes half a second to become a key.
  const asked = apiKey.check();

  const waysOut = new WaysOut({
    config,
    clock,
    system: () => options.proxies,
    changed(connector, way) {
      log.info(
        { connector, proxy: way?.proxy?.address ?? 'none', source: way?.source },
        'a network is reached this way',
      );
      changes.notify();
    },
  });
  const targets = createTargets(config, files);
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
      confidential: (secret) => registry.addTyped(secret),
      wayOut: waysOut.of(name),
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
    signedIn: (accountId) => played.add(accountId),
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
        agentServer: agentServerStatus(agentServer.facts()),
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
  // An agent that comes back at once would find its accounts without a session, and its answers refused for now.
  await within(clock, OPENING_WAIT_MS, Promise.all(connectors.map((connector) => connector.opened())));
  const port = new PortKeeper({
    server,
    host: config.server.host,
    port: config.server.port,
    whenTaken: options.whenPortTaken ?? 'fail',
    clock,
    log,
    changed: () => changes.notify(),
  });
  stops.add('server', async () => {
    port.close();
    await server.close();
  });
  await port.start();
  const settings = new SettingsKeeper({
    ...base,
    port,
    server,
    hasAccounts: connectors.some((connector) => connector.accounts().length > 0),
    changed: () => changes.notify(),
  });

  const pulse = new PulseBoard({
    clock,
    accounts: () => connectors.flatMap((connector) => connector.accounts()),
    changed: () => changes.notify(),
  });
  stops.add('pulse', async () => pulse.close());

  let paused = false;
  const rehearsal = new Rehearsal({
    stage,
    url: () => (port.state.state === 'listening' ? port.url : undefined),
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
    onboarding: () => settings.onboarding,
    paused: () => paused,
    server: () => port.state,
    apiKey: () => apiKey.facts,
    agents: () => server.agents(),
    refusedKeys: () => server.refusedKeys,
    rehearsal: () => rehearsal.snapshot,
    pulse: (accountId) => pulse.of(accountId),
    address: () => port,
    way: (connector) => waysOut.wayOf(connector),
  });
  const checkSecrets = async (): Promise<SecretsSnapshot> => {
    await apiKey.check();
    return apiKey.state;
  };
  const execute = createCommands({
    connectors,
    delivery,
    localChat,
    clock,
    log,
    snapshot,
    setPaused(value) {
      paused = value;
      delivery.pause(value);
      changes.notify();
    },
    apiKey: async () => apiKey.require(),
    rotateApiKey: () => apiKey.rotate(),
    checkSecrets,
    settings: () => settings.facts(),
    changeSettings: (change) => settings.change(change),
    setOnboarding: (step) => settings.setOnboarding(step),
    retryPort: () => port.retry(),
    ...createDiagnostics({ ...base, settings, connectors, snapshot, checkSecrets, waysOut }),
    rehearsal,
    uiLink() {
      // The page at that address would be a stranger's, and could read the link's token.
      if (port.state.state !== 'listening')
        throw new CommandError('port_taken', 'the server does not listen: its port is taken');
      return `${port.url}${ui.newLink()}`;
    },
  });
  const watched = [...connectors, delivery, agentServer, ...(localChat ? [localChat] : [])];
  for (const off of watch(watched, () => changes.notify())) {
    stops.add('listeners', async () => off());
  }

  const control = await openControlSocket({ dataDir, execute, snapshot, onChange, clock, log });
  stops.add('control socket', () => control.close());
  log.info({ url: port.url, connectors: connectors.map(({ name }) => name) }, 'the host is ready');
  // Only to show it; the system takes a while when it is asked for the first time.
  setImmediate(() => void waysOut.look());

  return {
    get url() {
      return port.url;
    },
    get port() {
      return port.port;
    },
    get connectors() {
      return connectors.map(({ card, name }) => ({
        cardId: card.connector_card_id,
        baseUrl: `${port.url}/${name}`,
      }));
    },
    log,
    localChat,
    execute,
    snapshot,
    onChange,
    wake() {
      void apiKey.check();
      agentServer.wake();
      pulse.wake();
      void waysOut.look();
      for (const connector of connectors) connector.wake();
    },
    async close() {
      log.info('the host stops');
      await stops.run();
    },
    get secretsLeft() {
      return secretsLeft;
    },
  };
}

function watch(parts: readonly { onChange(fn: () => void): () => void }[], changed: () => void): (() => void)[] {
  return parts.map((part) => part.onChange(changed));
}
