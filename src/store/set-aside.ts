import fs from 'node:fs';

/** What belongs to a SQLite database. */
export const DATABASE_COMPANIONS: readonly string[] = ['-wal', '-shm'];

/**
 * Renames a damaged file to `<file>.damaged-<UTC time>`, so that it can still be opened, mended or sent to someone. Nothing is
 * deleted, nor what was set aside before.
 * @param companions endings of files that go along, first, so that no crash in between leaves one beside a new file
 * @returns the new path
 */
export function setAside(file: string, now: number, companions: readonly string[] = []): string {
  const endings = [...companions, ''];
  const stamp = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '');
  const base = `${file}.damaged-${stamp}`;
  let target = base;
  for (let n = 2; endings.some((ending) => fs.existsSync(target + ending)); n += 1) target = `${base}-${n}`;
  for (const ending of endings) {
    if (fs.existsSync(file + ending)) fs.renameSync(file + ending, target + ending);
  }
  return target;
}
