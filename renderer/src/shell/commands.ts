/** The command that prints a fresh link to this window in a browser. */
export const LINK_COMMAND = 'node dist/cli.js ui';
/** Prints the key where the connector runs; a browser must not hold it. */
export const KEY_COMMAND = 'node dist/cli.js api-key';
