import type { ReactNode } from 'react';
import { useWords } from '../../words/index.js';

interface StepDotsProps {
  /** From 1. */
  readonly step: number;
  readonly count: number;
}

/** How far the first start is. */
export function StepDots({ step, count }: StepDotsProps): ReactNode {
  const { t } = useWords();
  return (
    <div className="dots" role="img" aria-label={t('onboarding.step', { step, n: count })}>
      {Array.from({ length: count }, (_, index) => (
        <i key={index} className={index < step ? 'on' : undefined} />
      ))}
    </div>
  );
}
