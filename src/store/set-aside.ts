import fs from 'node:fs';

/** What belongs to a SQLite database: the log first, so that no crash in between leaves it beside a new, empty database. */
const COMPANIONS = ['-wal', '-shm', ''];

/**
 * Renames a damaged database with its companions to `<file>.damaged-<UTC time>`, so that it can still be opened, mended or
 * sent to someone. Nothing is deleted.
 * @returns the new path of the database file
 */
export function setAside(file: string, now: number): string {
  const stamp = new Date(now).toISOString().replace(/[-:]/g, '').replace(/\.\d+/, '');
  const base = `${file}.damaged-${stamp}`;
  let target = base;
  for (let n = 2; COMPANIONS.some((suffix) => fs.existsSync(target + suffix)); n += 1) target = `${base}-${n}`;
  for (const suffix of COMPANIONS) {
    if (fs.existsSync(file + suffix)) fs.renameSync(file + suffix, target + suffix);
  }
  return target;
}
