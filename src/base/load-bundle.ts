import { readFileSync } from 'node:fs';
import { createRequire, wrap } from 'node:module';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';

/** What V8 made of a bundle when it was built stands beside it under this ending. */
const CODE_CACHE = '.cache';

type Main = (exports: object, require: NodeJS.Require, module: object, filename: string, dirname: string) => void;

const loaded = new Map<string, { exports: unknown }>();

/**
 * Loads a CommonJS bundle of this build as `require` would, without parsing and compiling it again: most of a start is that
 * otherwise. A code cache of another V8 (or none) is not used, and the bundle is compiled as always. V8 tells by its version,
 * its flags and the length of the source, so a bundle and its cache are only ever written together.
 * @param filename absolute
 */
export function loadBundle(filename: string): unknown {
  const known = loaded.get(filename);
  if (known) return known.exports;
  const cachedData = readIfThere(filename + CODE_CACHE);
  // The build writes ASCII only; read as such, the source is one string outside the heap and no copy.
  const script = new Script(wrap(readFileSync(filename, 'latin1')), { filename, ...(cachedData && { cachedData }) });
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
