import type { ReactNode } from 'react';
import type { AccountSnapshot } from '../../../../src/bridge/index.js';
import { Sign } from '../../components/Sign.js';
import { useWords } from '../../words/index.js';

/** Whether somebody would read what is written now. */
export function AgentPresence({ account: { agentConnected } }: { readonly account: AccountSnapshot }): ReactNode {
  const { t } = useWords();
  return (
    <span className="say small tx-2 mid">
      <Sign name={agentConnected ? 'ok' : 'none'} tone={agentConnected ? 'ok' : 'idle'} />
      <span>{agentConnected ? t('chat.agent.connected') : t('chat.agent.none')}</span>
    </span>
  );
}
