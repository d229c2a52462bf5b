// npm run docs: rewrites what is generated in the documents. With --check nothing is written: it fails where a document is not
// what the code gives, where a link leads nowhere, where a command, a config key or a file is named that is not there,
// and where a dependency has no reason.
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { commandHelps, commandTable } from './docs/commands.mjs';
import { configTables } from './docs/config-tables.mjs';
import { findUnexplained } from './docs/dependencies.mjs';
import { documents } from './docs/documents.mjs';
import { findDeadLinks } from './docs/links.mjs';
import { findUnknownNames } from './docs/names.mjs';
import { roomsDrawing } from './docs/rooms-drawing.mjs';

const root = fileURLToPath(new URL('../', import.meta.url));
const checking = process.argv.includes('--check');

const GENERATED = {
  'README.md': { commands: await commandTable() },
  'docs/commands.md': await commandHelps(),
  'docs/configuration.md': await configTables(),
  'docs/architecture.md': { rooms: await roomsDrawing(root) },
};

const problems = [];
for (const [document, parts] of Object.entries(GENERATED)) {
  const file = `${root}${document}`;
  const before = await readFile(file, 'utf8');
  const after = await format(insert(document, before, parts), { ...(await resolveConfig(file)), filepath: file });
  if (after === before) continue;
  if (checking) problems.push(`${document}: not what the code gives; npm run docs writes it`);
  else await writeFile(file, after);
}

const all = await documents(root);
problems.push(...findDeadLinks(root, all), ...(await findUnknownNames(root, all)), ...(await findUnexplained(root)));
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else
  console.log(
    `${all.length} documents: generated parts, links, commands, config keys, files and dependencies are right`,
  );

/** Puts each part between its two marks: `<!-- generated: name -->` … `<!-- end -->`. */
function insert(document, text, parts) {
  return Object.entries(parts).reduce((result, [name, content]) => {
    const marks = new RegExp(`(<!-- generated: ${name} -->\n)[\\s\\S]*?(<!-- end -->)`);
    if (!marks.test(result)) throw new Error(`${document} has no place for the generated part "${name}"`);
    return result.replace(marks, (_, begin, end) => `${begin}\n${content}\n\n${end}`);
  }, text);
}
