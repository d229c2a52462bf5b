import type { Finding, FindingCode, SecretsSnapshot } from '../../bridge/index.js';
import { openSecretStore } from '../../store/secrets/index.js';
import type { Config } from '../config-schema.js';
import { finding } from './finding.js';

type State = Pick<SecretsSnapshot, 'state' | 'code'>;

/** Asks a secret store of its own, for want of a running host's. */
export async function probeSecrets(config: Config, dataDir: string, passphrase: string | undefined): Promise<State> {
  const store = openSecretStore({ kind: config.secrets.store, dataDir, passphrase });
  try {
    const { state, ...rest } = await store.probe();
    return { state, code: 'code' in rest ? rest.code : undefined };
  } finally {
    await store.close();
  }
}

/** Says how the store in use is, and names that one alone. */
export function checkSecrets(kind: SecretsSnapshot['kind'], { state, code }: State): Finding {
  const values = { reason: code ?? state };
  if (kind === 'keychain') {
    return finding(
      'keychain',
      state === 'ready' ? 'ok' : 'broken',
      `keychain_${state}`,
      state === 'ready' ? {} : values,
    );
  }
  if (state === 'ready') return finding('secret file', 'ok', 'secret_file_ready');
  return finding('secret file', 'broken', FILE_CODES[code ?? ''] ?? 'secret_file_failed', values);
}

const FILE_CODES: Readonly<Record<string, FindingCode>> = {
  passphrase_missing: 'secret_file_no_passphrase',
  wrong_passphrase: 'secret_file_wrong_passphrase',
  secrets_damaged: 'secret_file_damaged',
};
