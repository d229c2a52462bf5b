import { randomBytes } from 'node:crypto';

/** 128 bits: an id that is also a capability (file refs, channel ids) can't be guessed. */
const ID_BYTES = 16;

/** A new opaque id such as `cch_9cX…`: the prefix names the kind, the rest is 128 random bits in base64url. */
export function newId(prefix: 'conn' | 'cch' | 'acc' | 'auth' | 'pkt' | 'file' | 'msg' | 'sess'): string {
  return `${prefix}_${randomBytes(ID_BYTES).toString('base64url')}`;
}
