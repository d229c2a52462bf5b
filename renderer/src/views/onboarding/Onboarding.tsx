import type { ReactNode } from 'react';
import type { Preferences } from '../../../../src/bridge/index.js';
import { useShellFacts } from '../../bridge/index.js';
import { BannerPlace } from '../../components/BannerPlace.js';
import { BrandMark } from '../../components/BrandMark.js';
import { Button } from '../../components/Button.js';
import { usePreferences } from '../../components/use-preferences.js';
import { navigate } from '../../shell/route.js';
import { useFocusHeading } from '../../shell/use-focus-heading.js';
import { useWords } from '../../words/index.js';
import { AccountStep } from './AccountStep.js';
import { AgentStep } from './AgentStep.js';
import { LanguagePick } from './LanguagePick.js';
import { StepDots } from './StepDots.js';
import { type StepName, stepsFor } from './steps.js';
import { TrayStep } from './TrayStep.js';

/** The first start, in a few steps: where the program lives, an account, an agent. It goes on where it was left, and can be skipped. */
export function Onboarding(): ReactNode {
  const { t } = useWords();
  const shell = useShellFacts();
  const [preferences, change] = usePreferences();
  const steps = stepsFor(shell);
  const index = Math.max(
    0,
    steps.findIndex((step) => step === preferences.onboarding),
  );
  const step = steps[index] ?? 'account';
  useFocusHeading(step);

  function goTo(next: Preferences['onboarding'] | undefined): void {
    change({ onboarding: next ?? 'done' });
    if (next === undefined || next === 'done') navigate('accounts');
  }

  return (
    <div className="ob">
      <header className="ob-top brand">
        <BrandMark />
        <span className="grow">{t('app.name')}</span>
        <LanguagePick />
      </header>
      <main className="ob-wrap">
        <div className="ob-mid">
          <BannerPlace />
          <Step step={step} />
        </div>
      </main>
      <footer className="ob-bot">
        <StepDots step={index + 1} count={steps.length} />
        <div className="acts">
          {index < steps.length - 1 && (
            <Button kind="quiet" onClick={() => goTo('done')}>
              {t('onboarding.skip')}
            </Button>
          )}
          {index > 0 && (
            <Button kind="quiet" onClick={() => goTo(steps[index - 1])}>
              {t('onboarding.back')}
            </Button>
          )}
          <Button kind="primary" onClick={() => goTo(steps[index + 1])}>
            {index === steps.length - 1 ? t('action.done') : t('onboarding.continue')}
          </Button>
        </div>
      </footer>
    </div>
  );
}

function Step({ step }: { readonly step: StepName }): ReactNode {
  switch (step) {
    case 'tray':
      return <TrayStep />;
    case 'account':
      return <AccountStep />;
    case 'agent':
      return <AgentStep />;
  }
}
