import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../base/clock.js';
import { Serial } from '../base/serial.js';
import { MIN_NEW_PASSPHRASE, type HostStage } from '../bridge/index.js';
import { SECRETS_FILE } from '../store/secrets/file-secret-store.js';
import { openSecretStore } from '../store/secrets/index.js';
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

export interface HostRunnerOptions extends Pick<
  HostOptions,
  'port' | 'passphrase' | 'proxies' | 'whenPortTaken' | 'spawnWorker' | 'clock' | 'random' | 'logOutput'
> {
  readonly places: Places;
  /** Starts the host; tests replace it. */
  readonly start?: typeof startHost;
}

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
   * Keeps secrets in the encrypted file from now on, or gives the passphrase of the file that is in use; then starts anew. Secrets
   * that the store in use gives out move along. The person has agreed to it.
   * @throws CommandError `passphrase_wrong` when the file is there and this does not open it, `invalid_params` when it is not and
   * this is shorter than {@link MIN_NEW_PASSPHRASE}; StoreError, SecretStoreError. The host then goes on as before
   */
  useSecretFile(passphrase: string): Promise<void> {
    return this.#turns.run(async () => {
      if (!this.#hasSecretFile && passphrase.length < MIN_NEW_PASSPHRASE)
        throw new CommandError('invalid_params', `a new file takes a passphrase of ${MIN_NEW_PASSPHRASE} characters`);
      await this.#changeStore('file', passphrase);
      this.#passphrase = passphrase;
    });
  }

  /** Keeps secrets in the keychain from now on, and starts anew. @throws as {@link useSecretFile} */
  useKeychain(): Promise<void> {
    return this.#turns.run(() => this.#changeStore('keychain', undefined));
  }

  async #changeStore(kind: 'keychain' | 'file', passphrase: string | undefined): Promise<void> {
    const secrets = (await this.#secretsOfOther(kind)) ?? new Map<string, string>();
    const { spawnWorker } = this.#options;
    const store = openSecretStore({ kind, dataDir: this.dataDir, passphrase, spawnWorker });
    try {
      if (kind === 'file') await this.#checkPassphrase(store);
      for (const [name, value] of secrets) await store.set(name, value);
    } finally {
      await store.close();
    }
    await writeSettings(this.dataDir, { secretStore: kind });
    await this.#stop();
    await this.#launch(passphrase ?? this.#passphrase);
  }

  /** What the store in use gives out, when it is to be another one; undefined when it is locked, or the same. */
  async #secretsOfOther(kind: 'keychain' | 'file'): Promise<ReadonlyMap<string, string> | undefined> {
    const { host } = this;
    if (host === undefined || host.snapshot().secrets.kind === kind) return undefined;
    return host.readSecrets().catch(() => undefined);
  }

  async #start(): Promise<void> {
    await this.#launch(this.#passphrase, (config) => this.#checkSecretFile(config.secrets.store, this.#passphrase));
  }

  /** @param check asked before the host starts; what it throws is why the start failed */
  async #launch(passphrase: string | undefined, check?: (config: Config) => Promise<void>): Promise<void> {
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
    try {
      const read = readConfig(places.configFile);
      await check?.(effectiveConfig(read, readSettings(this.dataDir).settings).config);
      const host = await start({
        ...read,
        dataDir: this.dataDir,
        port,
        passphrase,
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
      this.#enter({ stage: 'failed', ...startFailureOf(error), since: this.#now() });
    }
  }

  async #stop(): Promise<void> {
    const { host } = this;
    if (host === undefined) return;
    this.#enter({ stage: 'stopping', since: this.#now() });
    await host.close();
  }

  get #hasSecretFile(): boolean {
    return existsSync(join(this.dataDir, SECRETS_FILE));
  }

  /** A host would live on with a wrong passphrase, locked; a window asks for the right one instead. */
  async #checkSecretFile(kind: 'keychain' | 'file', passphrase: string | undefined): Promise<void> {
    if (kind !== 'file' || !this.#hasSecretFile) return;
    if (passphrase === undefined)
      throw new HostStartError('passphrase_needed', 'the encrypted file needs its passphrase');
    const store = openSecretStore({ kind, dataDir: this.dataDir, passphrase });
    try {
      await this.#checkPassphrase(store);
    } finally {
      await store.close();
    }
  }

  async #checkPassphrase(store: ReturnType<typeof openSecretStore>): Promise<void> {
    const probed = await store.probe();
    if (probed.state === 'locked' && probed.code === 'wrong_passphrase') {
      throw new CommandError('passphrase_wrong', 'the passphrase does not open the encrypted file');
    }
  }

  #enter(standing: Standing): void {
    this.#standing = standing;
    this.#listeners.notify();
  }

  #now(): number {
    return (this.#options.clock ?? systemClock).now();
  }
}
