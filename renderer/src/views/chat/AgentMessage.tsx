import type { ReactNode } from 'react';
import { useWords } from '../../words/index.js';
import { AgentTurn } from './AgentTurn.js';
import type { LocalMessage } from './conversation.js';
import { FileChip } from './FileChip.js';

interface AgentMessageProps {
  readonly message: LocalMessage;
  readonly accountId: string;
}

/** What the agent said, or is saying. */
export function AgentMessage({ message: { text, files, growing, at }, accountId }: AgentMessageProps): ReactNode {
  const { t, format } = useWords();
  return (
    <AgentTurn>
      {(text !== '' || growing) && (
        <p className="txt" dir="auto">
          {text}
          {growing && <span className="caret" aria-hidden="true" />}
        </p>
      )}
      {files.map((file) => (
        <FileChip key={file.fileRef} file={file} accountId={accountId} />
      ))}
      <span className="stamp num">{growing ? t('chat.writing') : format.clock(at)}</span>
    </AgentTurn>
  );
}
