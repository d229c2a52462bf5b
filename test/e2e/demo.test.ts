import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';

const DEMO = fileURLToPath(new URL('../../scripts/demo.mjs', import.meta.url));

describe('the demo', () => {
  let lines: string[];
  beforeAll(async () => {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [DEMO]);
    expect(stderr).toBe('');
    lines = stdout.split('\n');
  });

  it('shows an answer that grows, and the finished text once', () => {
    const shown = lines.filter((line) => /^ +[✉✎] The answer/.test(line)).map((line) => line.trim().slice(2));
    expect(shown.length).toBeGreaterThan(1);
    expect(new Set(shown).size).toBe(shown.length);
    for (const [index, text] of shown.slice(1).entries()) expect(text.startsWith(shown[index] ?? '')).toBe(true);
    expect(lines.filter((line) => line.includes(shown.at(-1) ?? ''))).toHaveLength(1);
  });

  it('tells each step under its number, in order, and what to do next', () => {
    const numbers = lines.flatMap((line) => /^ ?(\d+)\. /.exec(line)?.[1] ?? []).map(Number);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    expect(lines.join('\n')).toMatch(/Done in .* npm start/);
  });
});
