import type { ReactNode } from 'react';
import type { ConnectorSnapshot } from '../../../../src/bridge/index.js';
import { ButtonLink } from '../../components/ButtonLink.js';
import { Empty } from '../../components/Empty.js';
import { Panel } from '../../components/Panel.js';
import { Sign } from '../../components/Sign.js';
import { LOCAL } from '../../shell/accounts-of.js';
import { href } from '../../shell/route.js';
import { useWords } from '../../words/index.js';

interface DoneProps {
  readonly connector: ConnectorSnapshot;
  /** The account was there before and was signed in again. */
  readonly renewed: boolean;
}

/** The account is signed in, and what to try first. */
export function Done({ connector, renewed }: DoneProps): ReactNode {
  const words = useWords();
  const { t } = words;
  const network = words.network(connector.name, connector.label);
  return (
    <Panel>
      <Empty
        picture={<Sign name="ok" tone="ok" />}
        title={renewed ? t('connect.done.renewed', { network }) : t('connect.done.title', { network })}
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
        <p>{renewed ? t('connect.done.renewed_text') : words.code('connect.done', connector.name)}</p>
      </Empty>
    </Panel>
  );
}
