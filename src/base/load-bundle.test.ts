import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { wrap } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadBundle } from './load-bundle.js';

describe('loading a bundle of the build', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'xagent-bundle-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function write(name: string, source: string): string {
    const file = join(folder, name);
    writeFileSync(file, source);
    return file;
  }

  function cacheOf(source: string): Buffer {
    return new Script(wrap(source)).createCachedData();
  }

  it('gives what the bundle exports, and runs it once', () => {
    const file = write('one.js', 'module.exports = { made: Symbol() };');
    expect(loadBundle(file)).toEqual({ made: expect.any(Symbol) });
    expect(loadBundle(file)).toBe(loadBundle(file));
  });

  it('lets the bundle know where it is, and reach Node and the bundles beside it', () => {
    write('beside.js', 'exports.answer = 42;');
    const file = write(
      'asks.js',
      `exports.all = [__filename, __dirname, require('node:path').sep, require('./beside.js').answer]`,
    );
    expect(loadBundle(file)).toEqual({ all: [file, folder, expect.any(String), 42] });
    expect(loadBundle(join(folder, 'beside.js'))).toEqual({ answer: 42 });
  });

  it('runs the same with the code cache of its build', () => {
    const source = 'exports.sum = [1, 2, 3].reduce((sum, each) => sum + each, 0);';
    writeFileSync(join(folder, 'cached.js.cache'), cacheOf(source));
    expect(loadBundle(write('cached.js', source))).toEqual({ sum: 6 });
  });

  it('runs the source when the cache is of other code, damaged or empty', () => {
    const source = 'exports.is = "the source";';
    const caches = [cacheOf('exports.is = "something else altogether";'), Buffer.from('no cache'), Buffer.alloc(0)];
    for (const [index, cache] of caches.entries()) {
      writeFileSync(join(folder, `${index}.js.cache`), cache);
      expect(loadBundle(write(`${index}.js`, source))).toEqual({ is: 'the source' });
    }
  });

  it('fails as the bundle does', () => {
    const file = write('bad.js', 'throw new RangeError("no");');
    for (let tries = 0; tries < 2; tries += 1) expect(() => loadBundle(file)).toThrow(RangeError);
  });
});
