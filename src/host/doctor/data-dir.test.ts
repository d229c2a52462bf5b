import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkDataDir } from './data-dir.js';

const MIB = 1024 * 1024;
let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'doctor-'));
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('a full disk is broken, whoever may read the folder', () => {
  chmodSync(dir, 0o755);
  expect(checkDataDir(dir, () => 3 * MIB)).toMatchObject({ status: 'broken', detail: 'only 3 MB are free' });
});

test('what others may read is said before the disk that is merely low', () => {
  chmodSync(dir, 0o755);
  expect(checkDataDir(dir, () => 100 * MIB)).toMatchObject({ status: 'warn', todo: `chmod 700 ${dir}` });
  chmodSync(dir, 0o700);
  expect(checkDataDir(dir, () => 100 * MIB)).toMatchObject({ status: 'warn', detail: 'only 100 MB are free' });
});

test('a folder of one’s own with room is fine, and so is one on a disk that does not tell', () => {
  expect(checkDataDir(dir, () => 10_000 * MIB).status).toBe('ok');
  expect(checkDataDir(dir, () => undefined).status).toBe('ok');
});
