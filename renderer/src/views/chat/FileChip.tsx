import type { ReactNode } from 'react';
import { useNow } from '../../bridge/index.js';
import { Icon } from '../../components/Icon.js';
import { useWords } from '../../words/index.js';
import type { LocalMessage } from './conversation.js';
import { fileHref } from './upload.js';

interface FileChipProps {
  readonly file: LocalMessage['files'][number];
  readonly accountId: string;
}

/** A file of the chat, to be saved while it is kept. */
export function FileChip({ file, accountId }: FileChipProps): ReactNode {
  const { t, format } = useWords();
  const now = useNow();
  const { fileRef, fileType, byteSize, expiresAt } = file;
  const name = file.filename === '' ? t('chat.file.unnamed') : file.filename;
  const size = format.bytes(byteSize);
  const gone = expiresAt <= now;
  return (
    <span className="filechip">
      <Icon name={fileType === 'image' ? 'image' : 'file'} />
      <span className="medium" dir="auto">
        {name}
      </span>
      <span className="small num tx-2">{gone ? t('chat.file.gone', { size }) : size}</span>
      {!gone && (
        <a
          className="btn icon quiet small"
          href={fileHref(accountId, fileRef)}
          download={name}
          aria-label={t('chat.file.save', { name })}
          title={t('chat.file.save', { name })}
        >
          <Icon name="save" />
        </a>
      )}
    </span>
  );
}
