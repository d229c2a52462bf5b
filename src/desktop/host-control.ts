import type { HostStage } from '../bridge/index.js';
import type { Host } from '../host/index.js';

/** The host of this process, as the shell uses it: it starts, fails, is started again and stops, and the window lives through all of it. */
export interface HostControl {
  readonly stage: HostStage;
  /** Undefined while it does not run. */
  readonly host: Host | undefined;
  /** Never rejects: how it went is the stage. */
  start(): Promise<void>;
  restart(): Promise<void>;
  /** Keeps secrets in the encrypted file from now on, which the person agreed to, and starts again with this passphrase. */
  useSecretFile(passphrase: string): Promise<void>;
  /** Keeps them in the keychain from now on, and starts again. */
  useKeychain(): Promise<void>;
  /** Within the five seconds of the contract. */
  stop(): Promise<void>;
  /** Called after the stage, or anything that its snapshot shows, has changed. */
  onChange(fn: () => void): () => void;
}
