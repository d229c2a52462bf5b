import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';

/** AES block and key, bytes. */
export const BLOCK = 16;
const ALGORITHM = 'aes-128-ecb';

/** Size of the encrypted form of `size` plain bytes: PKCS#7 always adds at least one byte, so a full block when it fits exactly. */
export function cipherSize(size: number): number {
  return (Math.floor(size / BLOCK) + 1) * BLOCK;
}

/** A streaming AES-128-ECB encryptor with PKCS#7 padding, the network's choice for media at its CDN. */
export function encryptor(key: Buffer): ReturnType<typeof createCipheriv> {
  return createCipheriv(ALGORITHM, key, null);
}

/** The matching decryptor; its stream fails at the end when the padding is wrong, which means a wrong key or a cut file. */
export function decryptor(key: Buffer): ReturnType<typeof createDecipheriv> {
  return createDecipheriv(ALGORITHM, key, null);
}

/** How an outbound message names its media key: base64 of the 32 hex characters. Base64 of the raw bytes shows as a grey image. */
export function encodeMediaKey(key: Buffer): string {
  return Buffer.from(key.toString('hex'), 'ascii').toString('base64');
}

/**
 * The key for a file of this content. The network gets a key with every upload, but its CDN is reported to keep the first
 * upload's ciphertext for equal content: so equal content gets the same key, which nobody without `secret` can guess.
 */
export function mediaKeyFor(secret: string, content: string): Buffer {
  return createHmac('sha256', secret).update(content).digest().subarray(0, BLOCK);
}

const HEX_KEY = /^[0-9a-f]{32}$/i;

/**
 * Reads the key of inbound media, in every form seen: 32 hex characters, base64 of 16 bytes, base64 of 32 hex characters.
 * @returns undefined when there is none: the media is plain; `unreadable` when there is one in a form not known
 */
export function decodeMediaKey(
  hexKey: string | undefined,
  base64Key: string | undefined,
): Buffer | undefined | 'unreadable' {
  const forms = [hexKey, base64Key].filter((text) => text !== undefined);
  for (const text of forms) {
    if (HEX_KEY.test(text)) return Buffer.from(text, 'hex');
    const bytes = Buffer.from(text, 'base64');
    if (bytes.length === BLOCK) return bytes;
    const inner = bytes.toString('latin1');
    if (HEX_KEY.test(inner)) return Buffer.from(inner, 'hex');
  }
  return forms.length === 0 ? undefined : 'unreadable';
}
