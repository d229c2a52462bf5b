/** What the encrypted file takes at least, characters; the shell refuses less. */
export const MIN_PASSPHRASE = 8;
