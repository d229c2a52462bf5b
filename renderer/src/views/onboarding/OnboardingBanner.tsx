import type { ReactNode } from 'react';
import { Banner } from '../../components/Banner.js';
import { Button } from '../../components/Button.js';
import { ButtonLink } from '../../components/ButtonLink.js';
import { START_HREF } from '../../shell/route.js';
import { useWords } from '../../words/index.js';
import { STEPS } from './steps.js';
import type { OnboardingProgress } from './use-onboarding.js';

/** Leads back to the first start from wherever it sent the person, until it is done or skipped. */
export function OnboardingBanner({ step, goTo }: OnboardingProgress): ReactNode {
  const { t } = useWords();
  if (step === 'done') return null;
  return (
    <Banner
      tone="info"
      sign="hold"
      title={t('onboarding.banner.title', { step: STEPS.indexOf(step) + 1, n: STEPS.length })}
      actions={
        <>
          <Button kind="quiet" onClick={() => goTo('done')}>
            {t('onboarding.banner.skip')}
          </Button>
          <ButtonLink href={START_HREF}>{t('onboarding.continue')}</ButtonLink>
        </>
      }
    />
  );
}
