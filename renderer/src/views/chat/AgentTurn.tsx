import type { ReactNode } from 'react';
import { Icon } from '../../components/Icon.js';
import { useWords } from '../../words/index.js';

/** Whatever the agent shows in the log, under its name. */
export function AgentTurn({ children }: { readonly children: ReactNode }): ReactNode {
  const { t } = useWords();
  return (
    <div className="it">
      <div className="who">
        <Icon name="agent" />
        <span>{t('chat.it')}</span>
      </div>
      {children}
    </div>
  );
}
