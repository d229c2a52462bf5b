import { type ReactNode, useState } from 'react';
import type { ConnectorSnapshot } from '../../../../src/bridge/index.js';
import { useSnapshot } from '../../bridge/index.js';
import { ButtonLink } from '../../components/ButtonLink.js';
import { PageBody } from '../../components/PageBody.js';
import { PageHead } from '../../components/PageHead.js';
import { href } from '../../shell/route.js';
import { useWords } from '../../words/index.js';
import { CodePanel } from './CodePanel.js';
import { Done } from './Done.js';
import { SignInForm } from './SignInForm.js';
import { SignInNews } from './SignInNews.js';
import { useSignIn } from './use-sign-in.js';

/** The sign-in of one network: a code to scan, a form to fill in, or a form and then a code. */
export function SignInPage({ connector }: { readonly connector: ConnectorSnapshot }): ReactNode {
  const { t, network: nameOf } = useWords();
  const snapshot = useSnapshot();
  const [flow] = connector.authFlows;
  const scans = flow?.type === 'qr_login';
  const { signIn, session } = useSignIn(connector.name, scans);
  const [before] = useState(() => new Set(connector.accounts.map(({ accountId }) => accountId)));
  const [input, setInput] = useState<Readonly<Record<string, string>>>({});
  const network = nameOf(connector.name, connector.label);
  const already = signIn.phase === 'ended' && signIn.facts.code === 'already_connected';
  const showsCode = scans || (signIn.phase === 'running' && signIn.shown !== undefined);

  return (
    <>
      <PageHead
        up={{ label: t('accounts.title'), href: href('accounts') }}
        title={t('connect.to', { network })}
        actions={
          showsCode &&
          !already &&
          signIn.phase !== 'done' && <ButtonLink href={href('accounts')}>{t('action.cancel')}</ButtonLink>
        }
      />
      <PageBody>
        <SignInNews signIn={signIn} connector={connector} />
        {signIn.phase === 'done' ? (
          <Done connector={connector} outcome={before.has(signIn.accountId) ? 'renewed' : 'new'} />
        ) : already ? (
          <Done connector={connector} outcome="already" />
        ) : showsCode ? (
          <CodePanel
            connector={connector}
            signIn={signIn}
            keptIn={snapshot?.secrets.kind ?? 'keychain'}
            onRenew={() => void session.renew(input)}
            onCode={(code) => session.provide(code)}
          />
        ) : (
          <SignInForm
            connector={connector}
            fields={flow?.fields ?? []}
            signIn={signIn}
            given={input}
            onSubmit={(values) => {
              setInput(values);
              void session.begin(values);
            }}
            onCancel={() => session.cancel()}
          />
        )}
      </PageBody>
    </>
  );
}
