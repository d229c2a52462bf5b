import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/** One run of a SASL mechanism. Messages are plain text here; base64 is the stream's business. */
export interface SaslRun {
  readonly mechanism: string;
  readonly first: string;
  /** Answers a challenge. @throws SaslBroken */
  answer(challenge: string): Promise<string>;
  /** Checks what came with the success: that the server knew the password too. @throws SaslBroken */
  verify(final: string): void;
}

/** The server's side of the exchange does not add up. */
export class SaslBroken extends Error {
  override readonly name = 'SaslBroken';
}

const SCRAM = [
  { name: 'SCRAM-SHA-512', hash: 'sha512', bytes: 64 },
  { name: 'SCRAM-SHA-256', hash: 'sha256', bytes: 32 },
  { name: 'SCRAM-SHA-1', hash: 'sha1', bytes: 20 },
] as const;

type ScramKind = (typeof SCRAM)[number];

/** RFC 5802: fewer rounds than this make a stolen exchange cheap to guess; far more would freeze us at a server's whim. */
const MIN_ITERATIONS = 4_096;
const MAX_ITERATIONS = 5_000_000;
const NONCE_BYTES = 18;

const derive = promisify(pbkdf2);

/**
 * The strongest mechanism that both sides know. PLAIN, which shows the password to the server, only where `mayShowPassword`.
 * @returns undefined when there is none
 */
export function chooseMechanism(
  offered: readonly string[],
  username: string,
  password: string,
  mayShowPassword: boolean,
  nonce: string = randomBytes(NONCE_BYTES).toString('base64'),
): SaslRun | undefined {
  const kind = SCRAM.find(({ name }) => offered.includes(name));
  if (kind) return new ScramRun(kind, username, password, nonce);
  if (!offered.includes('PLAIN') || !mayShowPassword) return undefined;
  return {
    mechanism: 'PLAIN',
    first: `\0${username}\0${password}`,
    answer: () => Promise.reject(new SaslBroken('PLAIN has no challenge')),
    verify: () => undefined,
  };
}

/** RFC 5802, RFC 7677, without channel binding. */
class ScramRun implements SaslRun {
  readonly mechanism: string;
  readonly first: string;
  readonly #kind: ScramKind;
  readonly #password: string;
  readonly #nonce: string;
  readonly #firstBare: string;
  #serverSignature: Buffer | undefined;

  constructor(kind: ScramKind, username: string, password: string, nonce: string) {
    this.mechanism = kind.name;
    this.#kind = kind;
    this.#password = password.normalize('NFKC');
    this.#nonce = nonce;
    this.#firstBare = `n=${username.replace(/[=]/g, '=3D').replace(/,/g, '=2C')},r=${nonce}`;
    this.first = `n,,${this.#firstBare}`;
  }

  async answer(challenge: string): Promise<string> {
    const { r: nonce = '', s: salt = '', i: rounds = '' } = fieldsOf(challenge);
    const iterations = Number(rounds);
    if (!nonce.startsWith(this.#nonce) || nonce === this.#nonce || salt === '') throw new SaslBroken('wrong nonce');
    if (!(iterations >= MIN_ITERATIONS && iterations <= MAX_ITERATIONS)) throw new SaslBroken('wrong iteration count');
    const { hash, bytes } = this.#kind;
    const salted = await derive(this.#password, Buffer.from(salt, 'base64'), iterations, bytes, hash);
    const clientKey = hmac(hash, salted, 'Client Key');
    const storedKey = createHash(hash).update(clientKey).digest();
    const unproven = `c=biws,r=${nonce}`;
    const message = `${this.#firstBare},${challenge},${unproven}`;
    const signature = hmac(hash, storedKey, message);
    this.#serverSignature = hmac(hash, hmac(hash, salted, 'Server Key'), message);
    const proof = Buffer.from(clientKey.map((byte, at) => byte ^ (signature[at] ?? 0)));
    return `${unproven},p=${proof.toString('base64')}`;
  }

  verify(final: string): void {
    const given = Buffer.from(fieldsOf(final)['v'] ?? '', 'base64');
    const own = this.#serverSignature;
    if (own?.length !== given.length || !timingSafeEqual(given, own)) throw new SaslBroken('wrong server signature');
  }
}

function hmac(hash: string, key: Buffer, text: string): Buffer {
  return createHmac(hash, key).update(text).digest();
}

/** `r=…,s=…,i=…` */
function fieldsOf(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(text.split(',').map((field) => [field.slice(0, 1), field.slice(2)]));
}
