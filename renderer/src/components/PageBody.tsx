import type { ReactNode } from 'react';
import { useWords } from '../words/index.js';
import { BannerPlace } from './BannerPlace.js';

/** What scrolls in a view, below the banners; it takes the focus, so that keys scroll it. */
export function PageBody({ children }: { readonly children: ReactNode }): ReactNode {
  const { t } = useWords();
  return (
    <div className="body" tabIndex={0} role="region" aria-label={t('body.label')}>
      <BannerPlace />
      {children}
    </div>
  );
}
