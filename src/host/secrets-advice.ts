import type { SecretsSnapshot } from '../bridge/index.js';
import { PASSPHRASE_VARIABLE } from './passphrase.js';

/** What a person does about a secret store that can't be used, by its kind and state; it names that store and no other. */
const ADVICE = {
  keychain: {
    locked: 'unlock the keychain; the host goes on by itself then',
    absent: `install and start a keychain (such as gnome-keyring), or set secrets.store to "file" with ${PASSPHRASE_VARIABLE}`,
    failed: 'restart the keychain, then try again',
  },
  file: {
    locked: `start the host with the right ${PASSPHRASE_VARIABLE}`,
    absent: `start the host with ${PASSPHRASE_VARIABLE}`,
    failed: 'make sure that secrets.enc in the data directory can be read and written',
  },
} as const;

/** By code, where the reason itself says what to do. */
const ADVICE_BY_CODE: Readonly<Record<string, string>> = {
  wrong_passphrase: `this is not the passphrase that secrets.enc was made with: start the host with the right ${PASSPHRASE_VARIABLE}`,
  passphrase_missing: `start the host with the passphrase in ${PASSPHRASE_VARIABLE}`,
  secrets_damaged: 'put a copy of secrets.enc back, or move it away and sign in again everywhere',
  keychain_library_missing: 'install libsecret (libsecret-1-0), or set secrets.store to "file"',
  disk_full: 'free some space on the disk of the data directory',
  read_only: 'make the data directory writable',
};

/** What to do about a secret store that is not ready; empty when it is. In English, for logs and the command line. */
export function secretsAdvice({ kind, state, code }: Pick<SecretsSnapshot, 'kind' | 'state' | 'code'>): string {
  if (state === 'ready') return '';
  return (code === undefined ? undefined : ADVICE_BY_CODE[code]) ?? ADVICE[kind][state];
}
