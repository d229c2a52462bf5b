// npm test: everything that CI runs. All of it runs even when a part fails; the last line sums the suites up.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localBin, run } from './run.mjs';
import { ensureSystemPackages } from './system-packages.mjs';

/** These wait for programs and pages most of the time, one after the other. */
const WAITING = ['conformance', 'e2e', 'window', 'desktop', 'journeys'];

const failures = [];
const total = { passed: 0, failed: 0, skipped: 0 };
const reports = mkdtempSync(join(tmpdir(), 'xagent-connector-test-'));

try {
  if (!ensureSystemPackages()) failures.push('system packages');
  await step('build', ['scripts/build.mjs']);
  await Promise.all([computing(), waiting()]);
} finally {
  rmSync(reports, { recursive: true, force: true });
}

if (failures.length > 0) {
  console.error(`\nFailed: ${failures.join(', ')}`);
  process.exitCode = 1;
}
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);

/** Types, lint and the unit tests wait for nothing: they keep one core busy beside the suites that wait. */
async function computing() {
  await step('check', ['scripts/check.mjs', '--no-tests'], { held: true });
  await testSuite('unit', { held: true });
}

async function waiting() {
  for (const suite of WAITING) await testSuite(suite);
}

/** One of our own scripts; counts as one test, so that the closing line tells all of it. */
async function step(name, args, options = {}) {
  console.log(`\n== ${name}`);
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
  console.log(`\n== ${name}`);
  const report = join(reports, `${name}.json`);
  const { code } = await run(
    localBin('vitest'),
    ['run', '--project', name, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
    options,
  );
  const counted = readReport(report);
  // A suite that fails outside its tests (none found, a crash) has a failure that no test counted.
  if (code !== 0 && counted.failed === 0) counted.failed = 1;
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
