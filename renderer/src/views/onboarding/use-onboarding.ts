import { useState } from 'react';
import type { OnboardingStep } from '../../../../src/bridge/index.js';
import { useCommand, useSnapshot } from '../../bridge/index.js';
import { useTellRefusal } from '../../components/use-tell-refusal.js';

/** Where the first start stands, and the way to go elsewhere in it. */
export interface OnboardingProgress {
  /** `done` also while the host has not said it yet. */
  readonly step: OnboardingStep;
  readonly goTo: (step: OnboardingStep) => void;
}

/** One for the whole window: its first start, the banner that leads back to it and the frame around both turn the page together. */
export function useOnboarding(): OnboardingProgress {
  const known = useSnapshot()?.onboarding ?? 'done';
  const [asked, setAsked] = useState<{ readonly step: OnboardingStep; readonly before: OnboardingStep }>();
  const { run } = useCommand('set-onboarding');
  const tellRefusal = useTellRefusal();
  // A click turns the page at once, not when the host's next snapshot is there; what that says counts from then on.
  const open = asked?.before === known ? asked : undefined;
  if (open !== asked) setAsked(open);
  return {
    step: open?.step ?? known,
    goTo(step) {
      const next = { step, before: known };
      setAsked(next);
      void run({ step }).then((outcome) => {
        tellRefusal(outcome);
        if (!outcome.ok) setAsked((now) => (now === next ? undefined : now));
      });
    },
  };
}
