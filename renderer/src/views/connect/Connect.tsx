import type { ReactNode } from 'react';
import { useSnapshot } from '../../bridge/index.js';
import { ButtonLink } from '../../components/ButtonLink.js';
import { PageBody } from '../../components/PageBody.js';
import { PageHead } from '../../components/PageHead.js';
import { WaitingForHost } from '../../components/WaitingForHost.js';
import { href } from '../../shell/route.js';
import { useWords } from '../../words/index.js';
import { NetworkChoice } from './NetworkChoice.js';
import { SignInPage } from './SignInPage.js';

/** Connecting an account: first the network, then its sign-in. */
export function Connect({ network }: { readonly network: string | undefined }): ReactNode {
  const { t } = useWords();
  const snapshot = useSnapshot();
  const connector = snapshot?.connectors.find(({ name }) => name === network);
  if (connector !== undefined) return <SignInPage connector={connector} />;
  return (
    <>
      <PageHead
        up={{ label: t('accounts.title'), href: href('accounts') }}
        title={t('connect.choose')}
        sub={network === undefined || snapshot === undefined ? t('connect.choose.sub') : t('connect.unknown')}
        actions={<ButtonLink href={href('accounts')}>{t('action.cancel')}</ButtonLink>}
      />
      <PageBody>{snapshot === undefined ? <WaitingForHost shape="rows" rows={2} /> : <NetworkChoice />}</PageBody>
    </>
  );
}
