import { readFileSync } from 'node:fs';
import { createRequire, wrap } from 'node:module';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';

/** What V8 made of a bundle when it was built stands beside it under this ending. */
const CODE_CACHE = '.cache';

/** Compiles the source of a bundle, with what V8 made of it before where that is known. */
export type CompileBundle = (source: Buffer, filename: string) => Script;

type Main = (exports: object, require: NodeJS.Require, module: object, filename: string, dirname: string) => void;

const loaded = new Map<string, { exports: unknown }>();

/**
 * Loads a CommonJS bundle of this build as `require` would, without parsing and compiling it again: most of a start is that
 * otherwise.
 * @param filename absolute
 * @param compile where its code cache is kept elsewhere than beside it
 */
export function loadBundle(filename: string, compile: CompileBundle = compileWithCacheBeside): unknown {
  const known = loaded.get(filename);
  if (known) return known.exports;
  const script = compile(readFileSync(filename), filename);
  const module: { exports: unknown } = { exports: {} };
  loaded.set(filename, module);
  try {
    const main = script.runInThisContext() as Main;
    main(module.exports as object, requireOf(filename), module, filename, dirname(filename));
  } catch (error) {
    loaded.delete(filename);
    throw error;
  }
  return module.exports;
}

/** What Node puts around a CommonJS module. */
const [HEAD = '', TAIL = ''] = wrap('\0').split('\0');

/**
 * A code cache of another V8 (or none) is not used, and the bundle is compiled as always. V8 tells by its version, its flags and
 * the length of the source only: whoever gives a cache has to know that it is of this source, and whole.
 */
export function compileBundle(source: Buffer, filename: string, cachedData: Buffer | undefined): Script {
  // The build writes ASCII only. Wrapped before it is a string it stays outside the heap; V8 would copy one that is put together.
  const wrapped = Buffer.concat([Buffer.from(HEAD), source, Buffer.from(TAIL)]).toString('latin1');
  return new Script(wrapped, { filename, ...(cachedData && { cachedData }) });
}

/** A bundle and the cache beside it are only ever written together. */
function compileWithCacheBeside(source: Buffer, filename: string): Script {
  return compileBundle(source, filename, readIfThere(filename + CODE_CACHE));
}

/** Other bundles of the build come in the same way. */
function requireOf(filename: string): NodeJS.Require {
  const plain = createRequire(filename);
  const own = (id: string): unknown => (id.startsWith('./') ? loadBundle(join(dirname(filename), id)) : plain(id));
  return Object.assign(own, plain);
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
