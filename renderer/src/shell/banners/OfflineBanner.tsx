import type { ReactNode } from 'react';
import { Banner } from '../../components/Banner.js';
import { useWords } from '../../words/index.js';

/** This computer has no network at all. */
export function OfflineBanner(): ReactNode {
  const { t } = useWords();
  return (
    <Banner tone="idle" sign="offline" title={t('offline.title')}>
      <p>{t('offline.text')}</p>
    </Banner>
  );
}
