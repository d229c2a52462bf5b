// npm run bench: what the built product costs, as whole processes on loopback, beside bare programs in the same run.
// Figures compare builds on one machine, not machines; docs/performance.md says what each one means.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FIGURES } from './bench/figures/index.mjs';
import { machine, shapeOf } from './bench/machine.mjs';
import { table } from './bench/report.mjs';

const HELP = `npm run bench -- [--only NAME]... [--short] [--long] [--json]
  --only NAME   that figure only, also a long one; may be repeated
  --short       fewer and smaller rounds: shows that everything runs, proves nothing
  --long        also the figures that take many minutes
  --json        the rows as one JSON object
Figures: ${FIGURES.map(({ name, long }) => (long ? `${name} (long)` : name)).join(', ')}`;

const { only, short, long, json, help } = options();
const wanted = FIGURES.filter((figure) => (only ? only.includes(figure.name) : long || !figure.long));
if (help) console.log(HELP);
else process.exitCode = await bench();

function options() {
  const flag = { type: 'boolean', default: false };
  const { values } = parseArgs({
    options: { only: { type: 'string', multiple: true }, short: flag, long: flag, json: flag, help: flag },
  });
  const unknown = values.only?.find((name) => !FIGURES.some((figure) => figure.name === name));
  if (unknown !== undefined) throw new Error(`there is no figure ${unknown}\n${HELP}`);
  return values;
}

async function bench() {
  const on = machine();
  const root = mkdtempSync(join(tmpdir(), 'xagent-connector-bench-'));
  const rows = [];
  const failed = [];
  try {
    for (const figure of wanted) {
      const began = performance.now();
      try {
        rows.push(...(await figure.run({ folder: folderOf(root, figure), short })));
      } catch (error) {
        failed.push({ figure: figure.name, error: error instanceof Error ? error.message : 'failed' });
        console.error(error);
      }
      console.error(`${figure.name}: ${((performance.now() - began) / 1000).toFixed(0)} s`);
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  if (json) console.log(JSON.stringify({ machine: on, short, rows, failed }, null, 2));
  else console.log(`${shapeOf(on)}\n\n${table(rows)}`);
  return failed.length > 0 ? 1 : 0;
}

/** A folder of its own, so that no figure finds what another one left. */
function folderOf(root, { name }) {
  const folder = join(root, name);
  mkdirSync(folder);
  return folder;
}
