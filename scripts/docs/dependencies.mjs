import { readFile } from 'node:fs/promises';

const DOCUMENT = 'docs/dependencies.md';

/** Packages of package.json that have no reason written down, and reasons for packages that are not there. */
export async function findUnexplained(root) {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
    await readFile(`${root}package.json`, 'utf8'),
  );
  const used = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
  const rows = (await readFile(`${root}${DOCUMENT}`, 'utf8')).split('\n').filter((line) => line.startsWith('| `'));
  const told = rows.flatMap((row) => Array.from(row.split('|')[1].matchAll(/`([^`]+)`/g), ([, name]) => name));
  const covers = (pattern, name) =>
    pattern === name || (pattern.endsWith('/*') && name.startsWith(pattern.slice(0, -1)));
  return [
    ...used
      .filter((name) => !told.some((pattern) => covers(pattern, name)))
      .map((name) => `${DOCUMENT}: ${name} is used and not explained`),
    ...told
      .filter((pattern) => !used.some((name) => covers(pattern, name)))
      .map((pattern) => `${DOCUMENT}: ${pattern} is explained and not used`),
  ];
}
