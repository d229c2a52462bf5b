import type { ReactNode } from 'react';
import { useWords } from '../../words/index.js';
import type { LocalMessage } from './conversation.js';
import { FileChip } from './FileChip.js';
import { Stamp } from './Stamp.js';

interface PersonMessageProps {
  readonly message: LocalMessage;
  readonly accountId: string;
  /** Somebody would take it right now. */
  readonly taken: boolean;
  /** How long it waits for an agent, milliseconds; undefined while it is not known. */
  readonly keptMs: number | undefined;
}

/** What the person wrote, and whether the agent has it. */
export function PersonMessage({ message, accountId, taken, keptMs }: PersonMessageProps): ReactNode {
  const { t } = useWords();
  return (
    <div className="me">
      <span className="sr">{t('chat.you')}</span>
      {message.text !== '' && (
        <p className="txt" dir="auto">
          {message.text}
        </p>
      )}
      {message.files.map((file) => (
        <FileChip key={file.fileRef} file={file} accountId={accountId} />
      ))}
      <Stamp state={message.state} at={message.at} taken={taken} keptMs={keptMs} />
    </div>
  );
}
