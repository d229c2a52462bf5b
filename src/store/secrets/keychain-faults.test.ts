import { describe, expect, it } from 'vitest';
import { keychainFault } from './keychain-faults.js';

describe('what a keychain’s words mean', () => {
  it.each([
    ['Cannot create an item in a locked collection', 'locked', 'keychain_locked'],
    ['unlock prompt was dismissed', 'locked', 'keychain_locked'],
    ['User interaction is not allowed.', 'locked', 'keychain_locked'],
    ['Cannot autolaunch D-Bus without X11 $DISPLAY', 'absent', 'keychain_absent'],
    ['Could not connect: No such file or directory', 'absent', 'keychain_absent'],
    // What Chromium puts into its own environment where there is no session bus.
    ['Unknown or unsupported transport “disabled” for address “disabled:”', 'absent', 'keychain_absent'],
    ['The given address is empty', 'absent', 'keychain_absent'],
    ['Address element “x” does not contain a colon (:)', 'absent', 'keychain_absent'],
    ['The name org.freedesktop.secrets was not provided by any .service files', 'absent', 'keychain_absent'],
    ['A default keychain could not be found.', 'absent', 'keychain_absent'],
    ['Failed to load keytar native addon, checked [...] on prebuilds/linux-x64', 'absent', 'keychain_library_missing'],
    ["Cannot find module 'keytar'", 'absent', 'keychain_library_missing'],
    ['something never heard of', 'failed', 'keychain_error'],
  ])('%s', (message, state, code) => {
    expect(keychainFault(new Error(message))).toEqual({ state, code });
  });
});
