/** Limits of what a page sends that it tells in its own words before the host refuses more. */

/** Text of one message, UTF-16 units. */
export const MAX_MESSAGE_LENGTH = 65_536;
/** Files of one message. */
export const MAX_MESSAGE_FILES = 16;
/** Passphrase of a new encrypted file, characters. One that is there may have a shorter one: a host without a window takes any. */
export const MIN_NEW_PASSPHRASE = 8;
