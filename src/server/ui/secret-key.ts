import { createHash } from 'node:crypto';

/** What a secret is kept under: what is in memory then opens nothing. */
export function keyOfSecret(secret: string): string {
  return createHash('sha256').update(secret, 'utf8').digest('base64url');
}
