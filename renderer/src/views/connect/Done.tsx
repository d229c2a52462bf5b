import type { ReactNode } from 'react';
import { agentsConnected, type ConnectorSnapshot } from '../../../../src/bridge/index.js';
import { useSnapshot } from '../../bridge/index.js';
import { ButtonLink } from '../../components/ButtonLink.js';
import { Empty } from '../../components/Empty.js';
import { Panel } from '../../components/Panel.js';
import { Sign } from '../../components/Sign.js';
import { LOCAL } from '../../shell/accounts-of.js';
import { href } from '../../shell/route.js';
import { useWords } from '../../words/index.js';

interface DoneProps {
  readonly connector: ConnectorSnapshot;
  /** It is a new account, or one that was there before: signed in again, or left as it was. */
  readonly outcome: 'new' | 'renewed' | 'already';
}

/** The account is signed in, and what to try first. */
export function Done({ connector, outcome }: DoneProps): ReactNode {
  const words = useWords();
  const { t } = words;
  const network = words.network(connector.name, connector.label);
  const said = {
    new: [t('connect.done.title', { network }), words.code('connect.done', connector.name)],
    renewed: [t('connect.done.renewed', { network }), t('connect.done.renewed_text')],
    already: [t('connect.done.already', { network }), t('connect.done.already_text')],
  } as const;
  const [title, text] = said[outcome];
  const snapshot = useSnapshot();
  const isAgentHere = snapshot !== undefined && agentsConnected(snapshot) > 0;
  return (
    <Panel>
      <Empty
        picture={<Sign name="ok" tone="ok" />}
        title={title}
        actions={
          <>
            {connector.name === LOCAL ? (
              <ButtonLink kind="primary" href={href('chat')}>
                {t('connect.open_chat')}
              </ButtonLink>
            ) : (
              <ButtonLink kind="primary" href={href('accounts')}>
                {t('action.done')}
              </ButtonLink>
            )}
            <ButtonLink href={href('accounts', 'connect')}>{t('connect.again')}</ButtonLink>
          </>
        }
      >
        <p>{text}</p>
        {outcome === 'new' && <p>{isAgentHere ? t('connect.reaches') : t('connect.waits')}</p>}
      </Empty>
    </Panel>
  );
}
