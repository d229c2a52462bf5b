/** Limits of what a page sends that it tells in its own words before the host refuses more. */

/** Text of one message, UTF-16 units. */
export const MAX_MESSAGE_LENGTH = 65_536;
/** Files of one message. */
export const MAX_MESSAGE_FILES = 16;
