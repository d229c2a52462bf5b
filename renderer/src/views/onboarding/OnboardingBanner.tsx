import type { ReactNode } from 'react';
import { useShellFacts } from '../../bridge/index.js';
import { Banner } from '../../components/Banner.js';
import { Button } from '../../components/Button.js';
import { ButtonLink } from '../../components/ButtonLink.js';
import { usePreferences } from '../../components/use-preferences.js';
import { START_HREF } from '../../shell/route.js';
import { useWords } from '../../words/index.js';
import { stepsFor } from './steps.js';

/** Leads back to the first start from wherever it sent the person, until it is done or skipped. */
export function OnboardingBanner(): ReactNode {
  const { t } = useWords();
  const shell = useShellFacts();
  const [{ onboarding }, change] = usePreferences();
  const steps = stepsFor(shell);
  const step = steps.findIndex((name) => name === onboarding) + 1;
  if (step === 0) return null;
  return (
    <Banner
      tone="info"
      sign="hold"
      title={t('onboarding.banner.title', { step, n: steps.length })}
      actions={
        <>
          <Button kind="quiet" onClick={() => change({ onboarding: 'done' })}>
            {t('onboarding.banner.skip')}
          </Button>
          <ButtonLink href={START_HREF}>{t('onboarding.continue')}</ButtonLink>
        </>
      }
    />
  );
}
