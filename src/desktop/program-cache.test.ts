import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ProgramCache } from './program-cache.js';

describe('the code cache of the program', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'xagent-program-'));
    file = join(folder, 'program.cache');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const source = (value: number): Buffer => Buffer.from(`exports.value = ${value};`);

  /** One start of the program. @returns whether V8 took a cache, and what the program gives */
  async function start(program: Buffer, at = file): Promise<{ cached: boolean; value: unknown }> {
    const cache = new ProgramCache(at);
    const script = cache.compile(program, join(folder, 'program.js'));
    const exports: { value?: unknown } = {};
    (script.runInThisContext() as (exports: object) => void)(exports);
    await cache.keep();
    return { cached: script.cachedDataRejected === false, value: exports.value };
  }

  it('is made by the first start and used by the next ones', async () => {
    expect(await start(source(1))).toEqual({ cached: false, value: 1 });
    expect(await start(source(1))).toEqual({ cached: true, value: 1 });
    expect(await start(source(1))).toEqual({ cached: true, value: 1 });
  });

  it('is for its owner’s eyes only, and written once', async () => {
    await start(source(1));
    const { mode, mtimeNs, ino } = statSync(file, { bigint: true });
    expect(Number(mode) & 0o777).toBe(0o600);
    await start(source(1));
    expect(statSync(file, { bigint: true })).toMatchObject({ mtimeNs, ino });
  });

  it('of another build is not used, though V8 itself would take it, and is replaced', async () => {
    await start(source(1));
    expect(await start(source(2))).toEqual({ cached: false, value: 2 });
    expect(await start(source(2))).toEqual({ cached: true, value: 2 });
  });

  it('knows a program by the digest that its build wrote behind it', async () => {
    const built = (value: number, digest: string): Buffer =>
      Buffer.concat([source(value), Buffer.from(`\n//# digest=${digest.repeat(86)}\n`)]);
    await start(built(1, 'a'));
    expect(await start(built(1, 'a'))).toEqual({ cached: true, value: 1 });
    expect(await start(built(2, 'b'))).toEqual({ cached: false, value: 2 });
    expect(await start(built(2, 'a'))).toEqual({ cached: false, value: 2 });
  });

  it('that is damaged anywhere is not used', async () => {
    await start(source(1));
    const whole = readFileSync(file);
    const flipped = (at: number): Buffer => {
      const copy = Buffer.from(whole);
      copy.writeUInt8(copy.readUInt8(at) ^ 1, at);
      return copy;
    };
    const damaged = [
      Buffer.alloc(0),
      whole.subarray(0, 63),
      whole.subarray(0, -1),
      flipped(0),
      flipped(whole.length - 1),
    ];
    for (const content of damaged) {
      writeFileSync(file, content);
      expect(await start(source(1))).toEqual({ cached: false, value: 1 });
    }
  });

  it('that can’t be written costs nothing but time', async () => {
    expect(await start(source(1), join(folder, 'not there', 'program.cache'))).toEqual({ cached: false, value: 1 });
  });
});
