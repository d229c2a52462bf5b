import type { WindowCase } from '../support/window-case.js';
import { accountsCases } from './accounts.js';
import { connectCases } from './connect.js';
import { shellCases } from './shell.js';
import { agentCases } from './agent.js';
import { chatCases } from './chat.js';
import { diagnosticsCases } from './diagnostics.js';
import { messagesCases } from './messages.js';
import { onboardingCases } from './onboarding.js';
import { settingsCases } from './settings.js';

/** Every state of every view. A view adds its own list here. */
export const ALL_CASES: readonly WindowCase[] = [
  ...shellCases,
  ...accountsCases,
  ...connectCases,
  ...messagesCases,
  ...chatCases,
  ...agentCases,
  ...settingsCases,
  ...diagnosticsCases,
  ...onboardingCases,
];
