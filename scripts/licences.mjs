// The licences of everything that a package of the desktop app holds, as one text.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** How packages call the file, the likeliest first. */
const LICENCE_FILE = /^(licen[cs]e|copying|copyright|notice)/i;

/** The package that a file of node_modules belongs to: its folder, with nested ones kept apart. Undefined for a file of ours. */
export function packageFolderOf(file) {
  const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file.replaceAll('\\', '/'));
  return found?.[1];
}

/** @param folders folders of packages; each is named with its version, its licence and the text that it brings */
export function licenceText(folders) {
  const parts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license, licenses } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const named = typeof license === 'string' ? license : (license?.type ?? licenses?.[0]?.type ?? 'see below');
    const file = readdirSync(folder).find((entry) => LICENCE_FILE.test(entry));
    const text =
      file === undefined ? `(${named}; the package brings no text of it)` : readFileSync(join(folder, file), 'utf8');
    return `${'='.repeat(78)}\n${name} ${version} (${named})\n\n${text.trim()}\n`;
  });
  return parts.join('\n');
}

/** What a package needs at run time, itself included, as far as it is installed. */
export function withDependencies(root, names) {
  const found = new Set();
  const add = (name) => {
    const folder = join(root, 'node_modules', name);
    if (found.has(folder) || !existsSync(join(folder, 'package.json'))) return;
    found.add(folder);
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    );
    for (const dependency of Object.keys({ ...dependencies, ...optionalDependencies })) add(dependency);
  };
  names.forEach(add);
  return [...found];
}
