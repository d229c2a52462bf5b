import { randomFillSync } from 'node:crypto';

/** 128 bits: an id that is also a capability (file refs, channel ids) can't be guessed. */
const ID_BYTES = 16;
/** Ids whose randomness is fetched at once: asking for it costs more than all the rest of an id. */
const IDS_AHEAD = 64;

const ahead = Buffer.alloc(ID_BYTES * IDS_AHEAD);
let used = ahead.length;

/** A new opaque id such as `cch_9cX…`: the prefix names the kind, the rest is 128 random bits in base64url. */
export function newId(prefix: 'conn' | 'cch' | 'acc' | 'auth' | 'pkt' | 'file' | 'msg' | 'sess'): string {
  if (used === ahead.length) {
    randomFillSync(ahead);
    used = 0;
  }
  used += ID_BYTES;
  return `${prefix}_${ahead.toString('base64url', used - ID_BYTES, used)}`;
}
