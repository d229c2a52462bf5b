import { systemClock, type Clock } from '../base/clock.js';
import { describeError } from '../base/errors.js';
import type { HostStage } from '../bridge/index.js';
import { ConfigError, HostStartError, loadConfig, startHost, type Config, type Host } from '../host/index.js';
import { Listeners } from '../host/listeners.js';
import { DataDirLockedError } from '../store/data-dir-lock.js';
import { StoreError } from '../store/store.js';
import type { SpawnWorker } from '../store/secrets/index.js';
import type { HostControl } from './host-control.js';

export interface HostRunnerOptions {
  readonly configFile: string | undefined;
  readonly dataDir: string;
  readonly spawnWorker: SpawnWorker;
  readonly clock?: Clock;
  /** Of the secret file, from the environment; one that the person gives later lives as long as this program. */
  readonly passphrase: string | undefined;
  /** The kind of secret store that the person chose over the configuration's; undefined follows the configuration. */
  readonly choice: { secretStore(): SecretStoreKind | undefined; keepSecretStore(kind: SecretStoreKind): void };
}

type SecretStoreKind = 'keychain' | 'file';

/** The host of this process: started, started again and stopped, one after the other. */
export class HostRunner implements HostControl {
  readonly #options: HostRunnerOptions;
  readonly #clock: Clock;
  readonly #listeners = new Listeners();
  #turn: Promise<void> = Promise.resolve();
  #host: Host | undefined;
  #stage: HostStage;
  #passphrase: string | undefined;

  constructor(options: HostRunnerOptions) {
    this.#options = options;
    this.#passphrase = options.passphrase;
    this.#clock = options.clock ?? systemClock;
    this.#stage = { stage: 'starting', since: this.#clock.now() };
  }

  get stage(): HostStage {
    return this.#host === undefined ? this.#stage : { stage: 'running', snapshot: this.#host.snapshot() };
  }

  get host(): Host | undefined {
    return this.#host;
  }

  onChange(fn: () => void): () => void {
    return this.#listeners.add(fn);
  }

  start(): Promise<void> {
    return this.#next(() => this.#start());
  }

  restart(): Promise<void> {
    return this.#next(async () => {
      await this.#stop();
      await this.#start();
    });
  }

  useSecretFile(passphrase: string): Promise<void> {
    this.#passphrase = passphrase;
    this.#options.choice.keepSecretStore('file');
    return this.restart();
  }

  useKeychain(): Promise<void> {
    this.#options.choice.keepSecretStore('keychain');
    return this.restart();
  }

  stop(): Promise<void> {
    return this.#next(() => this.#stop());
  }

  #next(step: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(step);
    return this.#turn;
  }

  async #start(): Promise<void> {
    if (this.#host !== undefined) return;
    this.#become({ stage: 'starting', since: this.#clock.now() });
    const { dataDir, spawnWorker } = this.#options;
    try {
      const config = this.#config();
      const passphrase = this.#passphrase;
      if (config.secrets.store === 'file' && passphrase === undefined) {
        throw new HostStartError('passphrase_needed', 'the secret file needs its passphrase');
      }
      const host = await startHost({ config, dataDir, passphrase, spawnWorker });
      host.onChange(() => this.#listeners.notify());
      this.#host = host;
      this.#listeners.notify();
    } catch (error) {
      this.#become({ stage: 'failed', ...failure(error), since: this.#clock.now() });
    }
  }

  async #stop(): Promise<void> {
    const host = this.#host;
    if (host === undefined) return;
    this.#host = undefined;
    this.#become({ stage: 'stopping', since: this.#clock.now() });
    await host.close();
  }

  #config(): Config {
    const config = loadConfig(this.#options.configFile);
    const store = this.#options.choice.secretStore();
    return store === undefined ? config : { ...config, secrets: { ...config.secrets, store } };
  }

  #become(stage: HostStage): void {
    this.#stage = stage;
    this.#listeners.notify();
  }
}

function failure(error: unknown): { readonly code: string; readonly message: string } {
  if (error instanceof ConfigError) return { code: 'config_invalid', message: error.message };
  if (error instanceof DataDirLockedError) return { code: 'data_dir_locked', message: error.message };
  if (error instanceof StoreError) return { code: 'store_failed', message: error.message };
  if (error instanceof HostStartError) return { code: error.code, message: error.message };
  return { code: 'start_failed', message: describeError(error) };
}
