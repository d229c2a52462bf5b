import type { ReactNode } from 'react';
import { Banner } from '../components/Banner.js';
import { Button } from '../components/Button.js';
import { PageBody } from '../components/PageBody.js';
import { PageHead } from '../components/PageHead.js';
import { useWords } from '../words/index.js';
import type { ViewName } from './route.js';

/** In the place of a view that has a fault of its own; everything else goes on. */
export function ViewFault({ view }: { readonly view: ViewName }): ReactNode {
  const { t } = useWords();
  return (
    <>
      <PageHead title={t(`nav.${view}`)} />
      <PageBody>
        <Banner
          tone="danger"
          sign="danger"
          title={t('fault.title')}
          actions={<Button onClick={() => location.reload()}>{t('fault.reload')}</Button>}
        >
          <p>{t('fault.text')}</p>
        </Banner>
      </PageBody>
    </>
  );
}
