import type { ReactNode } from 'react';
import { useNow } from '../../bridge/index.js';
import { IconButton } from '../../components/IconButton.js';
import { Sign } from '../../components/Sign.js';
import { useWords } from '../../words/index.js';
import type { AccountOfNetwork } from './groups.js';
import { kindWords } from './kind-words.js';
import { MessageKind } from './MessageKind.js';
import type { HeldReply } from './queues.js';

interface HeldRowProps {
  readonly of: AccountOfNetwork;
  readonly reply: HeldReply;
  readonly onDiscard: () => void;
}

/** One answer that waits for its network. */
export function HeldRow({ of: { connector }, reply, onDiscard }: HeldRowProps): ReactNode {
  const words = useWords();
  const { t, format } = words;
  const now = useNow();
  const network = words.network(connector.name, connector.label);
  const age = format.duration(now - reply.heldAt);
  return (
    <tr>
      <td className="what">
        <MessageKind message={reply} direction="outbound" />
      </td>
      <td className="num nowrap" data-l={t('messages.columns.age')}>
        {age}
      </td>
      <td className="wide">
        <span className="cell">
          <Sign name="hold" tone="busy" />
          <span>{words.code('messages.held.why', reply.code, { network })}</span>
        </span>
      </td>
      <td className="r" data-l={t('messages.columns.expires')}>
        {format.duration(reply.expiresAt - now)}
      </td>
      <td className="acts-cell">
        <div className="acts">
          <IconButton
            icon="trash"
            label={t('messages.discard_of', { what: kindWords(reply, words, 'outbound'), network, age })}
            onClick={onDiscard}
          />
        </div>
      </td>
    </tr>
  );
}
