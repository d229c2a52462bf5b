import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { Json } from './rules.js';

/** In how many ways the key of inbound media is written. */
export type KeyForm = 'hexField' | 'base64Raw' | 'base64Hex' | 'none';

interface Expected {
  readonly filekey: string;
  readonly key: Buffer;
  readonly md5: string;
  readonly rawSize: number;
  readonly cipherSize: number;
}

interface Kept {
  readonly ciphertext: Buffer;
  readonly key: Buffer;
}

/** Encrypted files by their opaque parameters; what is uploaded is decrypted and held against what was promised. */
export class Cdn {
  /** Whether equal content keeps the ciphertext of its first upload, as was reported. */
  keepsFirst = false;
  /** Keys of media that phones sent, in hex. */
  readonly inboundKeys: string[] = [];
  /** The address that is told, in full or as a parameter alone. */
  tellsFullUrl = true;
  readonly #expected = new Map<string, Expected>();
  readonly #kept = new Map<string, Kept>();
  readonly #firstByMd5 = new Map<string, Kept>();
  #count = 0;

  /** Notes what is announced; returns the parameter to upload with. */
  expect(request: Json): string {
    const param = `up param/+=${String(++this.#count)}`;
    this.#expected.set(param, {
      filekey: String(request['filekey']),
      key: Buffer.from(String(request['aeskey']), 'hex'),
      md5: String(request['rawfilemd5']),
      rawSize: Number(request['rawsize']),
      cipherSize: Number(request['filesize']),
    });
    return param;
  }

  /** @returns the parameter under which it can be fetched, or what is wrong with it */
  upload(param: string, filekey: string, body: Buffer): { readonly reference: string } | { readonly faults: string[] } {
    const expected = this.#expected.get(param);
    if (!expected) return { faults: ['an upload that was not announced'] };
    const faults: string[] = [];
    if (filekey !== expected.filekey) faults.push('the filekey is another one');
    if (body.length !== expected.cipherSize) faults.push('another size than announced');
    const plain = decrypt(body, expected.key);
    if (plain?.length !== expected.rawSize) faults.push('the plain size is not as announced');
    if (plain === undefined || md5(plain) !== expected.md5) faults.push('the plain content is not as announced');
    if (faults.length > 0) return { faults };
    return { reference: this.#keep({ ciphertext: body, key: expected.key }, expected.md5) };
  }

  /** Puts a file there as a phone would. */
  add(bytes: Buffer, form: KeyForm): Json {
    const key = randomBytes(16);
    const ciphertext = form === 'none' ? bytes : encrypt(bytes, key);
    const encrypt_query_param = this.#keep({ ciphertext, key }, undefined);
    const hex = key.toString('hex');
    this.inboundKeys.push(hex);
    switch (form) {
      case 'base64Raw':
        return { media: { encrypt_query_param, aes_key: key.toString('base64'), encrypt_type: 1 } };
      case 'base64Hex':
        return { media: { encrypt_query_param, aes_key: Buffer.from(hex).toString('base64'), encrypt_type: 1 } };
      case 'hexField':
        return { media: { encrypt_query_param, encrypt_type: 1 }, aeskey: hex };
      case 'none':
        return { media: { encrypt_query_param, encrypt_type: 0 } };
    }
  }

  stored(param: string): Buffer | undefined {
    return this.#kept.get(param)?.ciphertext;
  }

  /** What a phone shows of sent media; undefined when it can't be decrypted (the grey image). */
  open(media: Json): Buffer | undefined {
    const hex = Buffer.from(String(media['aes_key']), 'base64').toString('latin1');
    const kept = this.#kept.get(String(media['encrypt_query_param']));
    if (!/^[0-9a-f]{32}$/.test(hex) || !kept || media['encrypt_type'] !== 1) return undefined;
    return decrypt(kept.ciphertext, Buffer.from(hex, 'hex'));
  }

  #keep(file: Kept, contentMd5: string | undefined): string {
    let kept = file;
    if (contentMd5 !== undefined) {
      const first = this.#firstByMd5.get(contentMd5);
      if (first && this.keepsFirst) kept = first;
      else this.#firstByMd5.set(contentMd5, file);
    }
    const reference = `down param/+=${String(++this.#count)}`;
    this.#kept.set(reference, kept);
    return reference;
  }
}

export function md5(bytes: Buffer): string {
  return createHash('md5').update(bytes).digest('hex');
}

function encrypt(bytes: Buffer, key: Buffer): Buffer {
  const cipher = createCipheriv('aes-128-ecb', key, null);
  return Buffer.concat([cipher.update(bytes), cipher.final()]);
}

function decrypt(bytes: Buffer, key: Buffer): Buffer | undefined {
  try {
    const decipher = createDecipheriv('aes-128-ecb', key, null);
    return Buffer.concat([decipher.update(bytes), decipher.final()]);
  } catch {
    return undefined;
  }
}
