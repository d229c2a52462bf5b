import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Files below a folder (contents as Latin-1, so that every byte is looked at) in which `needle` occurs. */
export async function filesWith(folder: string, needle: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const content = await readFile(path, 'latin1').catch(() => '');
    if (content.includes(needle)) found.push(path);
  }
  return found;
}

/** Of names of files: those of core dumps and of reports that a runtime writes when it dies. What they hold nobody has looked through. */
export function dumpsAmong(names: readonly string[]): string[] {
  return names.filter((name) => /(^|\/)core(\.\d+)?$|report\..*\.json$|\.heapsnapshot$|\.dmp$/i.test(name));
}
