import { type DragEvent, type ReactNode, useState } from 'react';
import { Icon } from '../../components/Icon.js';
import { useWords } from '../../words/index.js';

interface DropZoneProps {
  readonly onFiles: (files: readonly File[]) => void;
  readonly children: ReactNode;
}

/** Takes files that are dropped anywhere on the chat. */
export function DropZone({ onFiles, children }: DropZoneProps): ReactNode {
  const { t } = useWords();
  /** Elements the pointer is over at once: one is entered before the other is left. */
  const [depth, setDepth] = useState(0);

  function drop(event: DragEvent): void {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    setDepth(0);
    onFiles([...event.dataTransfer.files]);
  }

  return (
    <div
      className="chat-room"
      onDragEnter={(event) => carriesFiles(event) && setDepth((known) => known + 1)}
      onDragLeave={(event) => carriesFiles(event) && setDepth((known) => Math.max(0, known - 1))}
      onDragOver={(event) => carriesFiles(event) && event.preventDefault()}
      onDrop={drop}
    >
      {children}
      {depth > 0 && (
        <div className="drop-here" aria-hidden="true">
          <Icon name="clip" />
          <span>{t('chat.drop')}</span>
        </div>
      )}
    </div>
  );
}

function carriesFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer.types.includes('Files');
}
