import type { ReactNode } from 'react';
import { Icon } from '../../components/Icon.js';
import { IconButton } from '../../components/IconButton.js';
import { ProgressBar } from '../../components/ProgressBar.js';
import { useWords, type Words } from '../../words/index.js';
import type { Attachment } from './use-attachments.js';

interface AttachmentChipProps {
  readonly attachment: Attachment;
  readonly maxBytes: number | undefined;
  readonly onRemove: () => void;
}

/** A file on its way into the message. */
export function AttachmentChip({ attachment, maxBytes, onRemove }: AttachmentChipProps): ReactNode {
  const words = useWords();
  const { t } = words;
  const { name, byteSize, isImage, state } = attachment;
  const uploading = state.status === 'uploading';
  return (
    <li className="filechip">
      <Icon name={isImage ? 'image' : 'file'} />
      <span className="medium" dir="auto">
        {name}
      </span>
      <span className={state.status === 'failed' ? 'small tx-danger' : 'small num tx-2'}>
        {stateWords(attachment, maxBytes, words)}
      </span>
      <IconButton
        icon="x"
        label={uploading ? t('chat.file.cancel', { name }) : t('chat.file.remove', { name })}
        onClick={onRemove}
      />
      {uploading && (
        <ProgressBar label={t('chat.file.uploading', { name })} value={state.sent} max={Math.max(1, byteSize)} />
      )}
    </li>
  );
}

function stateWords({ state, byteSize }: Attachment, maxBytes: number | undefined, { t, code, format }: Words): string {
  switch (state.status) {
    case 'uploading':
      return t('chat.file.progress', { done: format.bytes(state.sent), size: format.bytes(byteSize) });
    case 'ready':
      return t('chat.file.ready', { size: format.bytes(byteSize) });
    case 'failed':
      return code('chat.file_failed', state.code, { size: format.bytes(maxBytes ?? byteSize) });
  }
}
