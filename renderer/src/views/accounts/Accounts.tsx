import type { ReactNode } from 'react';
import { useSnapshot } from '../../bridge/index.js';
import { PageBody } from '../../components/PageBody.js';
import { PageHead } from '../../components/PageHead.js';
import { WaitingForHost } from '../../components/WaitingForHost.js';
import { useWords } from '../../words/index.js';
import type { ViewProps } from '../view-props.js';

/** Every account, how it stands, and the way to the next one. */
export function Accounts({ path }: ViewProps): ReactNode {
  const { t } = useWords();
  const snapshot = useSnapshot();
  return (
    <>
      <PageHead title={t('accounts.title')} sub={path.join(' ')} />
      <PageBody>{snapshot === undefined ? <WaitingForHost rows={3} /> : null}</PageBody>
    </>
  );
}
