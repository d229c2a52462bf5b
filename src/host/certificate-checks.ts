/** What switches the check of every certificate off for a whole Node process; it is looked at anew for each connection. */
const VARIABLE = 'NODE_TLS_REJECT_UNAUTHORIZED';

/** What the log says of it. */
export const UNCHECKED_REFUSED = `${VARIABLE} is not heeded: a certificate that nobody vouches for would be shown every token. Name an authority of your own in NODE_EXTRA_CA_CERTS.`;

/**
 * Takes out of the environment what would let anybody on the way read tokens and messages: it is often set for a whole shell, for
 * the sake of another program.
 * @returns whether certificates would have gone unchecked
 */
export function keepCertificateChecks(env: NodeJS.ProcessEnv): boolean {
  const unchecked = env[VARIABLE] === '0';
  Reflect.deleteProperty(env, VARIABLE);
  return unchecked;
}
