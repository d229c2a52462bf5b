import type { ReactNode } from 'react';
import type { Snapshot } from '../../../../src/bridge/index.js';
import { Say } from '../../components/Say.js';
import { useWords } from '../../words/index.js';
import { countersOf } from './counters.js';

/** Answers that did not arrive, or of which nobody knows: they are counted, and the agent was told of each. */
export function AnswersFoot({ snapshot }: { readonly snapshot: Snapshot }): ReactNode {
  const { t } = useWords();
  const { refusedAnswers, uncertainAnswers } = countersOf(snapshot);
  if (refusedAnswers === 0 && uncertainAnswers === 0) return null;
  return (
    <div className="foot">
      {refusedAnswers > 0 && (
        <Say sign="danger" tone="danger">
          {t('messages.answers.refused', { n: refusedAnswers })}
        </Say>
      )}
      {uncertainAnswers > 0 && (
        <Say sign="unknown" tone="attention">
          {t('messages.answers.uncertain', { n: uncertainAnswers })}
        </Say>
      )}
    </div>
  );
}
