/** The environment variable with the passphrase of the `file` secret store. */
export const PASSPHRASE_VARIABLE = 'XAGENT_CONNECTOR_PASSPHRASE';

/** Taken out of the environment, so that no child process inherits it. */
export function takePassphrase(env: NodeJS.ProcessEnv): string | undefined {
  const passphrase = env[PASSPHRASE_VARIABLE];
  Reflect.deleteProperty(env, PASSPHRASE_VARIABLE);
  return passphrase;
}
