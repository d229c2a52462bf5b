import type { ReactNode } from 'react';
import { BrandMark } from '../components/BrandMark.js';
import { useWords } from '../words/index.js';
import { LINK_COMMAND } from './commands.js';

/** What a browser shows that came without a link, or whose session ended. */
export function NoSession(): ReactNode {
  const { t } = useWords();
  return (
    <main className="page">
      <div className="brand">
        <BrandMark />
        <span>{t('app.name')}</span>
      </div>
      <h1>{t('session.title')}</h1>
      <p>{t('session.text')}</p>
      <p className="command">
        <code aria-label={t('session.command')}>{LINK_COMMAND}</code>
      </p>
    </main>
  );
}
