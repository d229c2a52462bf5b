import type { Clock } from '../base/clock.js';
import type { HostFailureCode } from '../bridge/index.js';
import type { SecretStore, SpawnWorker } from '../store/secrets/index.js';
import type { Config } from './config-schema.js';
import type { SystemProxies } from './environment-proxies.js';
import type { LogOutput } from './logging.js';
import type { WhenPortTaken } from './port-keeper.js';

export interface HostOptions {
  /** As the configuration file has it; the settings of the data directory go before it. */
  readonly config: Config;
  /** The keys that the file itself gives; none when left out. */
  readonly given?: ReadonlySet<string>;
  /** From the command line, for this run: goes before settings and file. */
  readonly port?: number | undefined;
  /** Absolute; made when it does not exist. */
  readonly dataDir: string;
  /** Of the `file` secret store; from XAGENT_CONNECTOR_PASSPHRASE. */
  readonly passphrase?: string | undefined;
  /** Open already, of the kind that counts for this start; the host closes it as its own. It opens one itself when left out. */
  readonly secretStore?: SecretStore | undefined;
  /** `fail` when left out. */
  readonly whenPortTaken?: WhenPortTaken;
  readonly clock?: Clock;
  readonly random?: () => number;
  /** How the keychain's process is started; a Node child process by default. */
  readonly spawnWorker?: SpawnWorker | undefined;
  /** What the system says about proxies; nothing when left out. */
  readonly proxies?: SystemProxies | undefined;
  /** Where log lines go besides the files; standard error by default. */
  readonly logOutput?: LogOutput;
}

/** The host can't run as it is set up; the message says what to do. The process ends with exit code 1. */
export class HostStartError extends Error {
  override readonly name = 'HostStartError';
  constructor(
    readonly code: HostFailureCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
