import type { ReactNode } from 'react';
import { BannerPlace } from '../../components/BannerPlace.js';
import { BrandMark } from '../../components/BrandMark.js';
import { Button } from '../../components/Button.js';
import { navigate } from '../../shell/route.js';
import { useFocusHeading } from '../../shell/use-focus-heading.js';
import { useWords } from '../../words/index.js';
import { AccountStep } from './AccountStep.js';
import { AgentStep } from './AgentStep.js';
import { LanguagePick } from './LanguagePick.js';
import { StepDots } from './StepDots.js';
import { type StepName, STEPS } from './steps.js';
import { TrayStep } from './TrayStep.js';
import type { OnboardingProgress } from './use-onboarding.js';

/** The first start, in a few steps: where the program lives, an account, an agent. It goes on where it was left, and can be skipped. */
export function Onboarding({ step, goTo }: OnboardingProgress & { readonly step: StepName }): ReactNode {
  const { t } = useWords();
  const index = STEPS.indexOf(step);
  const previous = STEPS[index - 1];
  const next = STEPS[index + 1];
  useFocusHeading(step);

  function leave(): void {
    goTo('done');
    navigate('accounts');
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
        <StepDots step={index + 1} count={STEPS.length} />
        <div className="acts">
          {next !== undefined && (
            <Button kind="quiet" onClick={leave}>
              {t('onboarding.skip')}
            </Button>
          )}
          {previous !== undefined && (
            <Button kind="quiet" onClick={() => goTo(previous)}>
              {t('onboarding.back')}
            </Button>
          )}
          {next === undefined ? (
            <Button kind="primary" onClick={leave}>
              {t('action.done')}
            </Button>
          ) : (
            <Button kind="primary" onClick={() => goTo(next)}>
              {t('onboarding.continue')}
            </Button>
          )}
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
