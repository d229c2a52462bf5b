import type { KeychainFault } from './keychain-messages.js';

/**
 * The keychains' own words, by what they mean. Secret Service answers through libsecret and D-Bus in English whatever the
 * person's language, macOS through SecCopyErrorMessageString; neither gives a code that would tell these apart.
 */
const MEANINGS: readonly { readonly words: RegExp; readonly fault: KeychainFault }[] = [
  {
    words:
      /locked collection|is locked|not get unlocked|prompt was dismissed|interaction is not allowed|passphrase you entered|user canceled/i,
    fault: { state: 'locked', code: 'keychain_locked' },
  },
  {
    words:
      /autolaunch|could not connect|failed to connect|not provided by any \.service|dbus-launch|unsupported transport|address is empty|address element|default keychain could not be found|no such interface .*secret/i,
    fault: { state: 'absent', code: 'keychain_absent' },
  },
  {
    words: /keytar native addon|cannot find module|cannot open shared object|ERR_DLOPEN/i,
    fault: { state: 'absent', code: 'keychain_library_missing' },
  },
];

/** What a keychain's error means for the person. */
export function keychainFault(error: unknown): KeychainFault {
  const text = error instanceof Error ? error.message : String(error);
  return MEANINGS.find(({ words }) => words.test(text))?.fault ?? { state: 'failed', code: 'keychain_error' };
}
