import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { prepareDataDir, readDataDirId } from './data-dir.js';
import { PRIVATE_DIR_MODE } from './private-mode.js';

let folder: string;

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'xagent-data-dir-'));
});

afterEach(() => {
  fs.rmSync(folder, { recursive: true, force: true });
});

const codeOf = (dataDir: string): unknown => {
  try {
    prepareDataDir(dataDir);
    return 'prepared';
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
};

describe('the data directory', () => {
  it('is made with all that is missing above it, for its owner only', () => {
    const dataDir = path.join(folder, 'a', 'b');
    expect(codeOf(dataDir)).toBe('prepared');
    expect(fs.statSync(dataDir).mode & 0o777).toBe(PRIVATE_DIR_MODE);
    expect(codeOf(dataDir)).toBe('prepared');
  });

  it('keeps the rights of a folder that was there before', () => {
    fs.chmodSync(folder, 0o750);
    expect(codeOf(folder)).toBe('prepared');
    expect(fs.statSync(folder).mode & 0o777).toBe(0o750);
  });

  it('is refused as no folder when it is a file, or lies below one', () => {
    const file = path.join(folder, 'file');
    fs.writeFileSync(file, '');
    expect(codeOf(file)).toBe('not_a_folder');
    expect(codeOf(path.join(file, 'below'))).toBe('not_a_folder');
  });

  it.runIf(process.platform !== 'win32')('is refused as no folder when it is a link that leads nowhere', () => {
    const link = path.join(folder, 'link');
    fs.symlinkSync(path.join(folder, 'drive-that-is-not-there'), link);
    expect(codeOf(link)).toBe('not_a_folder');
    expect(codeOf(path.join(link, 'below'))).toBe('not_a_folder');
  });

  it.runIf(process.platform === 'linux')('is refused at once where no folder can be made', () => {
    expect(codeOf('/proc/xagent-connector')).toBe('read_only');
  });

  it('says which file is damaged when it has lost its name, and what to do', () => {
    fs.writeFileSync(path.join(folder, 'data-dir-id'), '');
    expect(() => readDataDirId(folder)).toThrow(/^the file data-dir-id is damaged: put a copy of it back/);
  });
});
