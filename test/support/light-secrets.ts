import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SECRETS_FILE } from '../../src/store/secrets/file-secret-store.js';
import { deriveKey, seal } from '../../src/store/secrets/sealed-file.js';

/** The least that the program takes for scrypt's cost: an eighth of what it gives a file of its own. */
const LIGHT = { name: 'scrypt', N: 16_384, r: 8, p: 1, salt: Buffer.alloc(16, 'light').toString('base64') } as const;

const sealed = new Map<string, Promise<string>>();

/**
 * Lays an encrypted file without secrets into an empty data folder, so that each start of a host on it costs a twentieth of a
 * second for the passphrase instead of half a second of a core.
 */
export async function layLightSecrets(dataDir: string, passphrase: string): Promise<void> {
  const content = sealed.get(passphrase) ?? deriveKey(passphrase, LIGHT).then((derived) => seal(new Map(), derived));
  sealed.set(passphrase, content);
  await writeFile(join(dataDir, SECRETS_FILE), await content, { mode: 0o600, flag: 'wx' });
}
