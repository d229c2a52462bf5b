// npm test: everything that CI runs. All of it runs even when a part fails; the last line sums the parts up.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localBin, run } from './run.mjs';
import { ensureSystemPackages } from './system-packages.mjs';

/**
 * Two of these run at a time, one taken from each end. The first keep a core busy from their beginning to their end; the last
 * wait for programs and networks most of the time.
 */
const QUEUE = ['check', 'unit', 'window', 'journeys', 'desktop', 'conformance', 'e2e'];

const failures = [];
const took = [];
const total = { passed: 0, failed: 0, skipped: 0 };
const reports = mkdtempSync(join(tmpdir(), 'xagent-connector-test-'));
/** Whose output is shown as it comes; what runs beside it is shown at its end, in one piece. */
let shown;

try {
  if (!ensureSystemPackages()) failures.push('system packages');
  await step('build', ['scripts/build.mjs']);
  await Promise.all([fromTheFront(), fromTheBack()]);
} finally {
  rmSync(reports, { recursive: true, force: true });
}

if (failures.length > 0) {
  console.error(`\nFailed: ${failures.join(', ')}`);
  process.exitCode = 1;
}
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
console.log(`\nTook: ${took.join(', ')}`);
console.log(`${total.passed} passed, ${total.failed} failed${skipped}`);

async function fromTheFront() {
  for (let name = QUEUE.shift(); name !== undefined; name = QUEUE.shift()) {
    console.log(`\n== ${name}: begins, and is shown when it is done`);
    await part(name, { heldUnder: `\n== ${name}` });
    if (shown !== undefined) console.log(`\n== ${shown}, continued`);
  }
}

async function fromTheBack() {
  for (shown = QUEUE.pop(); shown !== undefined; shown = QUEUE.pop()) await part(shown);
}

async function part(name, options) {
  const began = performance.now();
  await (name === 'check' ? step(name, ['scripts/check.mjs', '--no-tests'], options) : testSuite(name, options));
  took.push(`${name} ${Math.round((performance.now() - began) / 1_000)} s`);
}

/** One of our own scripts; counts as one test, so that the closing line tells all of it. */
async function step(name, args, options = {}) {
  if (options.heldUnder === undefined) console.log(`\n== ${name}`);
  const { code } = await run(process.execPath, args, options);
  count(name, code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 });
}

async function testSuite(name, options = {}) {
  let counted = await runSuite(name, options);
  // Its tests stand on each other, so that only the whole of it can be tried once more (see RETRY in vitest.config.mts).
  if (name === 'journeys' && counted.failed > 0 && process.env.CI) counted = await runSuite(name, options);
  count(name, counted);
}

async function runSuite(name, options) {
  if (options.heldUnder === undefined) console.log(`\n== ${name}`);
  const report = join(reports, `${name}.json`);
  rmSync(report, { force: true });
  const { code } = await run(
    localBin('vitest'),
    ['run', '--project', name, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
    options,
  );
  const counted = readReport(report);
  const ranNone = counted.passed + counted.failed === 0;
  if (ranNone) console.error(`\nNo test of ${name} ran`);
  // A suite that fails outside its tests (none found, a crash) has a failure that no test counted, and so has one that ran none.
  if (counted.failed === 0 && (code !== 0 || ranNone)) counted.failed = 1;
  return counted;
}

function readReport(file) {
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(readFileSync(file, 'utf8'));
    return { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests + numTodoTests };
  } catch {
    return { passed: 0, failed: 0, skipped: 0 };
  }
}

function count(name, { passed, failed, skipped = 0 }) {
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
  if (failed > 0) failures.push(name);
}
