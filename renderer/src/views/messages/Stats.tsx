import type { ReactNode } from 'react';
import { useWords } from '../../words/index.js';
import type { Counters } from './counters.js';

const SHOWN = ['delivered', 'repeats', 'rejected', 'expired', 'dropped'] as const satisfies readonly (keyof Counters)[];

/** What became of messages, as numbers. */
export function Stats({ counters }: { readonly counters: Counters }): ReactNode {
  const { t, format } = useWords();
  return (
    <dl className="stats" aria-label={t('messages.stats.label')}>
      {SHOWN.map((name) => (
        <div key={name}>
          <dt>{t(`messages.stats.${name}`)}</dt>
          <dd>{format.number(counters[name])}</dd>
        </div>
      ))}
    </dl>
  );
}
