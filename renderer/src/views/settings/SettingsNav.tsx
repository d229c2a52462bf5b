import type { ReactNode } from 'react';
import { href } from '../../shell/route.js';
import { useWords } from '../../words/index.js';

/** Between the two pages of this view. */
export function SettingsNav({ page }: { readonly page: 'settings' | 'diagnostics' }): ReactNode {
  const { t } = useWords();
  return (
    <nav className="seg" aria-label={t('settings.pages.label')}>
      <a href={href('settings')} aria-current={page === 'settings' ? 'page' : undefined}>
        {t('settings.pages.settings')}
      </a>
      <a href={href('settings', 'diagnostics')} aria-current={page === 'diagnostics' ? 'page' : undefined}>
        {t('settings.pages.diagnostics')}
      </a>
    </nav>
  );
}
