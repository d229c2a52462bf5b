import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Script } from 'node:vm';
import { compileBundle } from '../base/load-bundle.js';
import { writeFileAtomically } from '../store/atomic-file.js';

/** Of what a 64-bit machine digests fastest. */
const DIGEST = 'sha512';
/** Bytes of the digest before the cache itself. */
const DIGEST_BYTES = 64;

/** The build's own digest of the program, as `scripts/build.mjs` writes it behind it, and how many characters that takes. */
const NAME = /\n\/\/# digest=[A-Za-z0-9_-]{86}\n$/;
const NAME_LENGTH = 99;

/**
 * What V8 made of the program at an earlier start, in a file of the data directory, so that no later start has to make it again.
 * It can't come with the build, as the command line's does: only the Electron that runs the program can make it, and a packaged
 * app can't be written to. V8 takes a cache at its word, so that a digest of this V8, the program and the cache stands before it:
 * one of another build, or half a file, is not used. For the program its build's digest counts, which is part of it.
 */
export class ProgramCache {
  readonly #file: string;
  /** What this start had to compile itself; undefined when it came from a cache. */
  #compiled: { readonly source: Buffer; readonly script: Script } | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /** To be given to `loadBundle`. */
  readonly compile = (source: Buffer, filename: string): Script => {
    const cachedData = this.#read(source);
    const script = compileBundle(source, filename, cachedData);
    if (cachedData === undefined || script.cachedDataRejected === true) this.#compiled = { source, script };
    return script;
  };

  /**
   * Keeps what has been compiled by now, unless this start came from such a cache already. Holds the event loop for some
   * 20 ms, once after each update. Never rejects: without a cache the next start is only slower.
   */
  async keep(): Promise<void> {
    if (this.#compiled === undefined) return;
    const { source, script } = this.#compiled;
    this.#compiled = undefined;
    const cache = script.createCachedData();
    await writeFileAtomically(this.#file, Buffer.concat([digest(source, cache), cache])).catch(() => undefined);
  }

  #read(source: Buffer): Buffer | undefined {
    try {
      const content = readFileSync(this.#file);
      const cache = content.subarray(DIGEST_BYTES);
      return digest(source, cache).equals(content.subarray(0, DIGEST_BYTES)) ? cache : undefined;
    } catch {
      return undefined;
    }
  }
}

function digest(source: Buffer, cache: Buffer): Buffer {
  const name = source.subarray(-NAME_LENGTH);
  const program = NAME.test(name.toString('latin1')) ? name : source;
  return createHash(DIGEST).update(process.versions.v8).update(program).update(cache).digest();
}
