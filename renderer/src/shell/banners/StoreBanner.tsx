import { type ReactNode } from 'react';
import { Banner } from '../../components/Banner.js';
import { Button } from '../../components/Button.js';
import { useWords } from '../../words/index.js';

/** The message store was found damaged at the start, and an empty one took its place. Told until it is closed. */
export function StoreBanner({ file, onClose }: { readonly file: string; readonly onClose: () => void }): ReactNode {
  const { t } = useWords();
  return (
    <Banner
      alert
      tone="danger"
      sign="danger"
      title={t('store.title')}
      actions={<Button onClick={onClose}>{t('action.close')}</Button>}
    >
      <p className="wrap">{t('store.text', { file })}</p>
    </Banner>
  );
}
