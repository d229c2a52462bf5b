import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../base/clock.js';
import { Serial } from '../base/serial.js';
import { MIN_NEW_PASSPHRASE, type HostStage } from '../bridge/index.js';
import { lockDataDir } from '../store/data-dir-lock.js';
import { SECRETS_FILE } from '../store/secrets/file-secret-store.js';
import { openSecretStore, SecretStoreError, type SecretStore, type SecretStoreParts } from '../store/secrets/index.js';
import { StoreError } from '../store/store.js';
import { CommandError } from './command-error.js';
import type { Execute } from './commands.js';
import type { Config } from './config-schema.js';
import { readConfig } from './config.js';
import type { Places } from './data-dir.js';
import { effectiveConfig } from './effective-config.js';
import { startHost, type Host } from './host.js';
import { HostStartError, type HostOptions } from './host-options.js';
import { Listeners } from './listeners.js';
import { readSettings, writeSettings } from './settings.js';
import { startFailureOf, type StartFailure } from './start-failure.js';
import { readVault } from './vault.js';

export interface HostRunnerOptions extends Pick<
  HostOptions,
  'port' | 'passphrase' | 'proxies' | 'whenPortTaken' | 'spawnWorker' | 'clock' | 'random' | 'logOutput'
> {
  readonly places: Places;
  /** Starts the host; tests replace it. */
  readonly start?: typeof startHost;
}

type StoreKind = SecretStore['kind'];

/** The stages of a host in this process; `unreachable` is for windows elsewhere. */
export type RunnerStage = Exclude<HostStage, { stage: 'unreachable' }>;

type Standing =
  | { readonly stage: 'starting' | 'stopping'; readonly since: number }
  | { readonly stage: 'running'; readonly host: Host }
  | ({ readonly stage: 'failed'; readonly since: number } & StartFailure);

/**
 * Keeps one host in this process and lives on whatever becomes of it: started, failed with a reason, started again with other
 * settings, another secret store or its passphrase. Whoever shows it follows its stage.
 */
export class HostRunner {
  readonly #options: HostRunnerOptions;
  readonly #listeners = new Listeners();
  #passphrase: string | undefined;
  #standing: Standing;
  /** One start or stop after the other. */
  readonly #turns = new Serial();

  constructor(options: HostRunnerOptions) {
    this.#options = options;
    this.#passphrase = options.passphrase === '' ? undefined : options.passphrase;
    this.#standing = { stage: 'starting', since: this.#now() };
  }

  /** As it is now; the snapshot of a running host is taken with every call. */
  get stage(): RunnerStage {
    const standing = this.#standing;
    return standing.stage === 'running' ? { stage: 'running', snapshot: standing.host.snapshot() } : standing;
  }

  /** Undefined unless it runs. */
  get host(): Host | undefined {
    return this.#standing.stage === 'running' ? this.#standing.host : undefined;
  }

  get dataDir(): string {
    return this.#options.places.dataDir;
  }

  /** Called after the stage, or something that the host's snapshot shows, has changed; at most once a turn of the event loop. */
  onChange(fn: () => void): () => void {
    return this.#listeners.add(fn);
  }

  /** Carries out a command of the bridge. @throws CommandError, `host_not_running` while there is none */
  readonly execute: Execute = async (command, params) => {
    const { host } = this;
    if (host === undefined) throw new CommandError('host_not_running', 'the host does not run');
    return host.execute(command, params);
  };

  /** Starts the host. Never rejects: a start that fails is a stage. Nothing when it runs. */
  start(): Promise<void> {
    return this.#turns.run(async () => {
      if (this.host === undefined) await this.#start();
    });
  }

  /** Stops it, within its own deadline. */
  stop(): Promise<void> {
    return this.#turns.run(() => this.#stop());
  }

  /** Stops it and starts it again, with the configuration and settings as they are now. */
  restart(): Promise<void> {
    return this.#turns.run(async () => {
      await this.#stop();
      await this.#start();
    });
  }

  /**
   * Keeps secrets in the encrypted file from now on, or gives the passphrase of the file that is in use; then starts anew. All
   * secrets of a store in use that is ready move along. The person has agreed to it.
   * @throws CommandError `passphrase_wrong` when the file is there and this does not open it, `invalid_params` when it is not and
   * this is shorter than {@link MIN_NEW_PASSPHRASE}; StoreError, SecretStoreError. The host then goes on with the store that it had
   */
  useSecretFile(passphrase: string): Promise<void> {
    return this.#turns.run(async () => {
      if (!this.#hasSecretFile && passphrase.length < MIN_NEW_PASSPHRASE)
        throw new CommandError('invalid_params', `a new file takes a passphrase of ${MIN_NEW_PASSPHRASE} characters`);
      await this.#changeStore('file', passphrase);
    });
  }

  /** Keeps secrets in the keychain from now on, and starts anew. @throws as {@link useSecretFile} */
  useKeychain(): Promise<void> {
    return this.#turns.run(() => this.#changeStore('keychain', undefined));
  }

  async #changeStore(kind: StoreKind, passphrase: string | undefined): Promise<void> {
    const former = this.#movesFrom(kind);
    const makesFile = former !== undefined && kind === 'file' && !this.#hasSecretFile;
    const store = await this.#openStore(kind, passphrase, { ready: former !== undefined });
    const { host } = this;
    // First of all: what the host still stored while it was copied would be left behind.
    await this.#stop();
    try {
      if (former !== undefined) await this.#copySecrets(former, store, host?.secretsLeft);
      await writeSettings(this.dataDir, { secretStore: kind });
    } catch (error) {
      await store.close();
      // What was begun of it would ask for this passphrase the next time.
      if (makesFile) await rm(this.#secretFile, { force: true }).catch(() => undefined);
      await this.#start();
      throw error;
    }
    if (passphrase !== undefined) this.#passphrase = passphrase;
    await this.#launch(() => Promise.resolve(store));
  }

  /** The kind of the store in use, when it is to be another one; undefined also when it gives nothing out, locked or absent as it is. */
  #movesFrom(kind: StoreKind): StoreKind | undefined {
    const secrets = this.host?.snapshot().secrets;
    return secrets?.state === 'ready' && secrets.kind !== kind ? secrets.kind : undefined;
  }

  /** While no host works on the data directory. @throws StoreError, DataDirLockedError, SecretStoreError unless each of them was copied */
  async #copySecrets(from: StoreKind, to: SecretStore, names: readonly string[] | undefined): Promise<void> {
    if (names === undefined) throw new StoreError('failed', 'what there is to move could not be read');
    const lock = await lockDataDir(this.dataDir);
    const former = openSecretStore({ ...this.#storeParts(from), passphrase: this.#passphrase });
    try {
      for (const [name, value] of await readVault(former, names)) await to.set(name, value);
    } finally {
      await former.close();
      await lock.release();
    }
  }

  /** A host would live on with a wrong passphrase, locked; a window asks for the right one instead. */
  async #start(): Promise<void> {
    await this.#launch(async ({ secrets: { store } }) => {
      if (store !== 'file' || !this.#hasSecretFile) return undefined;
      if (this.#passphrase === undefined)
        throw new HostStartError('passphrase_needed', 'the encrypted file needs its passphrase');
      return this.#openStore('file', this.#passphrase, { ready: false });
    });
  }

  /** @param open gives the secret store that the host is to use, or lets it open its own; what it throws is why the start failed */
  async #launch(open: (config: Config) => Promise<SecretStore | undefined>): Promise<void> {
    this.#enter({ stage: 'starting', since: this.#now() });
    const {
      places,
      start = startHost,
      port,
      whenPortTaken = 'wait',
      spawnWorker,
      proxies,
      clock,
      random,
      logOutput,
    } = this.#options;
    let secretStore: SecretStore | undefined;
    try {
      const read = readConfig(places.configFile);
      secretStore = await open(effectiveConfig(read, readSettings(this.dataDir).settings).config);
      const host = await start({
        ...read,
        dataDir: this.dataDir,
        port,
        passphrase: this.#passphrase,
        secretStore,
        whenPortTaken,
        spawnWorker,
        proxies,
        ...(clock !== undefined && { clock }),
        ...(random !== undefined && { random }),
        ...(logOutput !== undefined && { logOutput }),
      });
      host.onChange(() => this.#listeners.notify());
      this.#enter({ stage: 'running', host });
    } catch (error) {
      await secretStore?.close();
      this.#enter({ stage: 'failed', ...startFailureOf(error), since: this.#now() });
    }
  }

  async #stop(): Promise<void> {
    const { host } = this;
    if (host === undefined) return;
    this.#enter({ stage: 'stopping', since: this.#now() });
    await host.close();
  }

  get #secretFile(): string {
    return join(this.dataDir, SECRETS_FILE);
  }

  get #hasSecretFile(): boolean {
    return existsSync(this.#secretFile);
  }

  /**
   * Opens a store and asks it how it is; the key that a passphrase becomes is derived by that, once for all that follows.
   * @throws CommandError `passphrase_wrong`; SecretStoreError when it has to be `ready` and is not
   */
  async #openStore(
    kind: StoreKind,
    passphrase: string | undefined,
    { ready }: { readonly ready: boolean },
  ): Promise<SecretStore> {
    const store = openSecretStore({ ...this.#storeParts(kind), passphrase });
    const probed = await store.probe();
    if (probed.state === 'ready') return store;
    const { state, code } = probed;
    if (code !== 'wrong_passphrase' && !ready) return store;
    await store.close();
    if (code === 'wrong_passphrase')
      throw new CommandError('passphrase_wrong', 'the passphrase does not open the encrypted file');
    throw new SecretStoreError(state, code, `the ${kind} is ${state}`);
  }

  #storeParts(kind: StoreKind): Pick<SecretStoreParts, 'kind' | 'dataDir' | 'spawnWorker'> {
    return { kind, dataDir: this.dataDir, spawnWorker: this.#options.spawnWorker };
  }

  #enter(standing: Standing): void {
    this.#standing = standing;
    this.#listeners.notify();
  }

  #now(): number {
    return (this.#options.clock ?? systemClock).now();
  }
}
