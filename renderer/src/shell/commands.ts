/** The command that prints a fresh link to this window in a browser. */
export const LINK_COMMAND = 'node dist/cli.js ui';
