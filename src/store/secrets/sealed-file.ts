import { createCipheriv, createDecipheriv, createHash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import Type, { type Static } from 'typebox';
import Value from 'typebox/value';

/** scrypt's cost: 128 MiB and about half a second for each guess of a passphrase (N = 2^17 is OWASP's advice for r = 8). */
const SCRYPT = { N: 131_072, r: 8, p: 1 } as const;
const SALT_BYTES = 16;

/** A file asking for more than this is damaged or made to exhaust us; for less, made to be guessed. */
const N_MIN = 16_384;
const N_MAX = 1_048_576;

/** AES-256-GCM with its usual nonce; a new one for every write. */
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const CHECK_BYTES = 32;

const Kdf = Type.Object({
  name: Type.Literal('scrypt'),
  N: Type.Integer({ minimum: N_MIN, maximum: N_MAX }),
  r: Type.Integer({ minimum: 8, maximum: 16 }),
  p: Type.Integer({ minimum: 1, maximum: 4 }),
  salt: Type.String({ minLength: 16, maxLength: 128 }),
});
export type Kdf = Static<typeof Kdf>;

const Sealed = Type.Object({
  format: Type.Literal('xagent-secrets'),
  version: Type.Literal(1),
  kdf: Kdf,
  /** Hash of the second half of what scrypt gives: tells a wrong passphrase from a damaged file. */
  check: Type.String(),
  nonce: Type.String(),
  tag: Type.String(),
  data: Type.String(),
  /** SHA-256 of all of the above: tells accidental damage before the passphrase is blamed. */
  sum: Type.String(),
});
type Sealed = Static<typeof Sealed>;

const Entries = Type.Record(Type.String(), Type.String());

/** What the passphrase becomes; kept in memory so that the expensive step is taken once. */
export interface DerivedKey {
  readonly kdf: Kdf;
  readonly key: Buffer;
  readonly check: string;
}

export type Secrets = Map<string, string>;

/** The file is not what this program wrote. */
export class DamagedSecretsError extends Error {
  override readonly name = 'DamagedSecretsError';
}

/** The file is whole, but the passphrase is another one. */
export class WrongPassphraseError extends Error {
  override readonly name = 'WrongPassphraseError';
}

export function newKdf(): Kdf {
  return { name: 'scrypt', ...SCRYPT, salt: randomBytes(SALT_BYTES).toString('base64') };
}

/** Derives the key off the event loop; takes about half a second and 128 MiB. */
export function deriveKey(passphrase: string, kdf: Kdf): Promise<DerivedKey> {
  const { N, r, p } = kdf;
  const options = { N, r, p, maxmem: 128 * N * r + 1024 * 1024 };
  return new Promise((resolve, reject) => {
    // One passphrase typed on two systems may come in two compositions of the same letters.
    scrypt(
      passphrase.normalize('NFKC'),
      Buffer.from(kdf.salt, 'base64'),
      KEY_BYTES + CHECK_BYTES,
      options,
      (error, bytes) => {
        if (error) {
          reject(error);
          return;
        }
        const check = createHash('sha256').update(bytes.subarray(KEY_BYTES)).digest('base64');
        resolve({ kdf, key: bytes.subarray(0, KEY_BYTES), check });
      },
    );
  });
}

/** Encrypts all secrets as one: not even their number or names show. */
export function seal(secrets: Secrets, derived: DerivedKey): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, derived.key, nonce).setAAD(header(derived.kdf));
  const data = Buffer.concat([cipher.update(JSON.stringify(Object.fromEntries(secrets)), 'utf8'), cipher.final()]);
  const body: Omit<Sealed, 'sum'> = {
    format: 'xagent-secrets',
    version: 1,
    kdf: derived.kdf,
    check: derived.check,
    nonce: nonce.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
    data: data.toString('base64'),
  };
  return `${JSON.stringify({ ...body, sum: sumOf(body) })}\n`;
}

/** Reads the outside of a sealed file. @throws DamagedSecretsError */
export function parseSealed(text: string): Sealed {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new DamagedSecretsError('the secrets file is no JSON');
  }
  if (!Value.Check(Sealed, value)) throw new DamagedSecretsError('the secrets file has another shape');
  const { format, version, kdf, check, nonce, tag, data, sum } = value;
  if (sumOf({ format, version, kdf, check, nonce, tag, data }) !== sum) {
    throw new DamagedSecretsError('the secrets file does not match its checksum');
  }
  return value;
}

/** @throws WrongPassphraseError, DamagedSecretsError */
export function unseal(sealed: Sealed, derived: DerivedKey): Secrets {
  if (!equal(sealed.check, derived.check)) throw new WrongPassphraseError('the passphrase is another one');
  let value: unknown;
  try {
    const decipher = createDecipheriv(CIPHER, derived.key, Buffer.from(sealed.nonce, 'base64'))
      .setAAD(header(sealed.kdf))
      .setAuthTag(Buffer.from(sealed.tag, 'base64'));
    const plain = Buffer.concat([decipher.update(Buffer.from(sealed.data, 'base64')), decipher.final()]);
    value = JSON.parse(plain.toString('utf8'));
  } catch {
    throw new DamagedSecretsError('the secrets file was changed');
  }
  if (!Value.Check(Entries, value)) throw new DamagedSecretsError('the secrets file holds something else');
  return new Map(Object.entries(value));
}

function header({ name, N, r, p, salt }: Kdf): Buffer {
  return Buffer.from(JSON.stringify(['xagent-secrets', 1, name, N, r, p, salt]));
}

function sumOf({ format, version, kdf, check, nonce, tag, data }: Omit<Sealed, 'sum'>): string {
  const { name, N, r, p, salt } = kdf;
  const text = JSON.stringify([format, version, name, N, r, p, salt, check, nonce, tag, data]);
  return createHash('sha256').update(text).digest('hex');
}

function equal(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
