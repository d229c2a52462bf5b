import type { ReactNode } from 'react';
import type { AccountSnapshot } from '../../../../src/bridge/index.js';
import { useNow } from '../../bridge/index.js';
import { Icon } from '../../components/Icon.js';
import { useWords } from '../../words/index.js';
import { AgentTurn } from './AgentTurn.js';

interface AgentAtWorkProps {
  readonly activity: AccountSnapshot['activity'];
  /** It shows that it writes, and has not shown a word yet. */
  readonly typing: boolean;
}

/** What the agent does while there is nothing to read yet. */
export function AgentAtWork({ activity, typing }: AgentAtWorkProps): ReactNode {
  const { t, format } = useWords();
  const now = useNow();
  if (activity.status === 'idle' && !typing) return null;
  const time = activity.status === 'idle' ? '' : format.duration(now - activity.since);
  return (
    <AgentTurn>
      <div className="work">
        <Icon name={activity.status === 'tool' ? 'tool' : 'think'} />
        <span>
          {activity.status === 'idle' && t('chat.writing')}
          {activity.status === 'thinking' && t('chat.thinking', { time })}
          {activity.status === 'tool' && t('chat.tool', { tool: activity.toolName, time })}
        </span>
      </div>
    </AgentTurn>
  );
}
