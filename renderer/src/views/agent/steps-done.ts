import type { RehearsalSnapshot } from '../../../../src/bridge/index.js';

/** How many steps of a rehearsal passed before the one that runs, failed or was not reached. */
export function stepsDone({ steps }: RehearsalSnapshot): number {
  const index = steps.findIndex(({ status }) => status !== 'passed');
  return index === -1 ? steps.length : index;
}
