import { systemClock, type Clock } from '../base/clock.js';
import { describeError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { createFileStore } from '../files/index.js';
import type { FileStore } from '../files/file-store.js';
import { lockDataDir } from '../store/data-dir-lock.js';
import { openStore, openStoredTime, type Store } from '../store/index.js';
import { openSecretStore } from '../store/secrets/index.js';
import type { SecretStore } from '../store/secrets/secret-store.js';
import { buildFacts } from './build-facts.js';
import type { ReadConfig } from './config.js';
import type { Config } from './config-schema.js';
import { effectiveConfig, type EffectiveConfig } from './effective-config.js';
import { secretsOf } from './environment-proxies.js';
import { HostStartError, type HostOptions } from './host-options.js';
import { createLogging } from './logging.js';
import { PASSPHRASE_VARIABLE } from './passphrase.js';
import type { Redactor } from './redaction.js';
import { registeringSecretStore, SecretRegistry } from './secret-registry.js';
import { readSettings, setSettingsAside } from './settings.js';
import type { StopSequence } from './stop-sequence.js';

/** What every part of a host stands on. */
export interface Foundation {
  readonly dataDir: string;
  readonly read: ReadConfig;
  readonly effective: EffectiveConfig;
  /** What counts in the end. */
  readonly config: Config;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly redactor: Redactor;
  readonly registry: SecretRegistry;
  readonly store: Store;
  readonly secrets: SecretStore;
  readonly files: FileStore;
}

/**
 * Opens it in its order: lock of the data directory, settings, log, store, secret store, files.
 * @throws HostStartError, DataDirLockedError, StoreError
 */
export async function openFoundation(options: HostOptions, stops: StopSequence): Promise<Foundation> {
  const { dataDir, passphrase } = options;
  const systemTime = options.clock ?? systemClock;
  const random = options.random ?? Math.random;
  const registry = new SecretRegistry();
  if (passphrase !== undefined) registry.add(passphrase);
  for (const secret of options.proxies === undefined ? [] : secretsOf(options.proxies)) registry.add(secret);

  const lock = await lockDataDir(dataDir);
  stops.add('data directory lock', () => lock.release());

  const read: ReadConfig = { config: options.config, given: options.given ?? new Set() };
  const found = readSettings(dataDir);
  const effective = effectiveConfig(read, found.settings, { port: options.port });
  const { config } = effective;

  const { log, redactor, close } = createLogging({
    level: config.log.level,
    dataDir,
    clock: systemTime,
    secrets: registry,
    ...(options.logOutput === undefined ? {} : { output: options.logOutput }),
  });
  stops.add('log', () => close());
  stops.report((step, error) => log.error({ step, error: describeError(error) }, 'a part did not stop as it should'));
  log.info({ ...buildFacts, node: process.version, platform: process.platform }, 'the host starts');
  if (found.damaged !== undefined) {
    const setAsideAs = await setSettingsAside(dataDir, systemTime.now()).catch(() => undefined);
    log.error(
      { code: 'settings_damaged', reason: found.damaged, set_aside_as: setAsideAs },
      'the settings were damaged; the configuration file counts alone',
    );
  }

  const store = await openStore({ dataDir, clock: systemTime, log });
  stops.add('store', () => store.close());
  const time = await openStoredTime({ store, clock: systemTime, log });
  stops.add('stored time', () => time.close());
  const { clock } = time;

  const secrets = registeringSecretStore(openSecrets(config, options), registry);
  stops.add('secret store', () => secrets.close());

  const files = createFileStore({ store, dataDir, clock, log, options: config.files });
  stops.add('files', () => files.close());
  return { dataDir, read, effective, config, clock, random, log, redactor, registry, store, secrets, files };
}

function openSecrets({ secrets: { store: kind } }: Config, options: HostOptions): SecretStore {
  const { dataDir, passphrase, spawnWorker, secretStore } = options;
  if (secretStore !== undefined) return secretStore;
  if (kind === 'keychain') return openSecretStore({ kind, dataDir, spawnWorker });
  if (passphrase === undefined || passphrase === '') {
    throw new HostStartError(
      'passphrase_needed',
      `secrets.store "file" needs a passphrase in the environment variable ${PASSPHRASE_VARIABLE}`,
    );
  }
  return openSecretStore({ kind, dataDir, passphrase });
}
