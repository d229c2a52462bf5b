import type { Preferences, ShellFacts } from '../../../../src/bridge/index.js';

export type StepName = Exclude<Preferences['onboarding'], 'done'>;

/** The steps of this shell: a browser has no tray of ours. */
export function stepsFor({ kind }: Pick<ShellFacts, 'kind'>): readonly StepName[] {
  return kind === 'desktop' ? ['tray', 'account', 'agent'] : ['account', 'agent'];
}
