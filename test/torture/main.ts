import { parseArgs } from 'node:util';
import { DEFAULT_SEED, Random } from './random.js';
import type { Outcome, Scenario } from './scenario.js';
import { SCENARIOS } from './scenarios.js';

/** `npm run torture`: promises under load, one after the other, as a table. */

const USAGE = `npm run torture -- [--seed N] [--short] [--only <scenario>]
scenarios: ${SCENARIOS.map(({ name }) => name).join(', ')}`;

interface Row {
  readonly scenario: Scenario;
  readonly outcome: Outcome;
  readonly seconds: number;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string' },
      short: { type: 'boolean', default: false },
      only: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const seed = Number(values.seed ?? DEFAULT_SEED);
  const chosen = SCENARIOS.filter(({ name }) => values.only === undefined || values.only === name);
  if (!Number.isSafeInteger(seed) || chosen.length === 0) throw new Error(`not understood\n${USAGE}`);
  console.log(`seed ${seed}${values.short ? ', short form' : ''}\n`);
  const rows: Row[] = [];
  for (const scenario of chosen) rows.push(await run(scenario, seed, values.short));
  for (const row of rows) print(row);
  const broken = rows.filter(({ outcome }) => outcome.broken.length > 0);
  console.log(
    broken.length === 0 ? '\nall promises kept' : `\nbroken: ${broken.map(({ scenario }) => scenario.name).join(', ')}`,
  );
  if (broken.length > 0) process.exitCode = 1;
}

async function run(scenario: Scenario, seed: number, short: boolean): Promise<Row> {
  const began = performance.now();
  const progress = (line: string): void => console.error(`  ${scenario.name}: ${line}`);
  const outcome = await scenario.run({ random: new Random(seed), short, progress }).catch((error: unknown): Outcome => {
    const why = error instanceof Error ? error.message : String(error);
    return { happened: 'the scenario itself failed', figures: {}, broken: [why] };
  });
  return { scenario, outcome, seconds: (performance.now() - began) / 1_000 };
}

function print({ scenario, outcome, seconds }: Row): void {
  const verdict = outcome.broken.length === 0 ? 'kept' : 'BROKEN';
  console.log(`${verdict.padEnd(7)}${scenario.name.padEnd(14)}${scenario.promise}  (${seconds.toFixed(0)} s)`);
  console.log(`       ${outcome.happened}`);
  const width = Math.max(...Object.keys(outcome.figures).map((name) => name.length));
  for (const [name, figure] of Object.entries(outcome.figures)) {
    console.log(`         ${name.padEnd(width)}  ${figure}`);
  }
  for (const fault of outcome.broken) console.log(`       ! ${fault}`);
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  },
);
