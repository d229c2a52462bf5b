import { describe, expect, it } from 'vitest';
import { DEFAULT_SEED, Random } from '../torture/random.js';
import { SCENARIOS } from '../torture/scenarios.js';

/** `npm run torture` in the form for a machine that has a minute: the same promises, less of everything. */
describe('under load that would break them', () => {
  it.each(SCENARIOS.map((scenario) => [scenario.name, scenario.promise, scenario] as const))(
    '%s: %s',
    async (_name, _promise, scenario) => {
      const outcome = await scenario.run({ random: new Random(DEFAULT_SEED), short: true, progress: () => undefined });
      expect(outcome.broken).toEqual([]);
    },
    300_000,
  );
});
