import type { OnboardingStep } from '../../../../src/bridge/index.js';

export type StepName = Exclude<OnboardingStep, 'done'>;

/** The steps in their order. */
export const STEPS: readonly StepName[] = ['tray', 'account', 'agent'];
