import type { HostRunner } from '../host/index.js';

/** The host of this process as the shell uses it: it starts, fails, is started again and stops, and the window lives through all of it. */
export type HostControl = Pick<
  HostRunner,
  'stage' | 'host' | 'start' | 'restart' | 'stop' | 'onChange' | 'useSecretFile' | 'useKeychain'
>;
