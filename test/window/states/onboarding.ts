import type { OnboardingStep, ShellFacts, Snapshot, WindowState } from '../../../src/bridge/index.js';
import { account } from '../fixtures/accounts.js';
import { snapshot, withoutAgent } from '../fixtures/snapshot.js';
import { running } from '../fixtures/window-state.js';
import type { WindowCase } from '../support/window-case.js';
import { rehearsal } from './agent.js';

function one(name: string, state: WindowState, hash = '#/'): WindowCase {
  return { view: 'onboarding', name, hash, state };
}

/** The first start at this step. */
export function atStep(onboarding: OnboardingStep, of: Snapshot, shell: Partial<ShellFacts> = {}): WindowState {
  return running({ ...of, onboarding }, shell);
}

const nothing = withoutAgent({});
const connected = withoutAgent({ telegram: [account('telegram')] });

export const onboardingCases: readonly WindowCase[] = [
  one('tray', atStep('tray', nothing)),
  one('tray-windows', atStep('tray', nothing, { platform: 'win32' })),
  one('tray-none', atStep('tray', nothing, { tray: 'none' })),
  one('account', atStep('account', nothing)),
  one('account-done', atStep('account', connected)),
  one('agent', atStep('agent', connected)),
  one('agent-here', atStep('agent', snapshot({ telegram: [account('telegram')] }))),
  one('agent-rehearsing', atStep('agent', { ...connected, rehearsal: rehearsal('running', 5, { status: 'running' }) })),
  one('agent-rehearsed', atStep('agent', { ...connected, rehearsal: rehearsal('passed', 10) })),
  one(
    'agent-failed',
    atStep('agent', { ...connected, rehearsal: rehearsal('failed', 5, { status: 'failed', code: 'timeout' }) }),
  ),
  one('browser', atStep('tray', nothing, { kind: 'browser', platform: 'other', tray: 'none' })),
  one('browser-agent', atStep('agent', nothing, { kind: 'browser', platform: 'other', tray: 'none' })),
  one('elsewhere', atStep('account', nothing), '#/accounts'),
];
