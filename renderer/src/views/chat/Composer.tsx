import { type ClipboardEvent, type SubmitEvent, type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { MAX_MESSAGE_FILES, MAX_MESSAGE_LENGTH } from '../../../../src/bridge/limits.js';
import { useCommand } from '../../bridge/index.js';
import { Icon } from '../../components/Icon.js';
import { Say } from '../../components/Say.js';
import { Refusal } from '../../components/Refusal.js';
import { whileBusy } from '../../components/while-busy.js';
import { useWords } from '../../words/index.js';
import { AttachmentChip } from './AttachmentChip.js';
import { readDraft, keepDraft } from './drafts.js';
import type { Attachments } from './use-attachments.js';

interface ComposerProps {
  readonly accountId: string;
  readonly attachments: Attachments;
  readonly onSent: () => void;
  readonly autoFocus: boolean;
}

const MEGABYTE = 1024 * 1024;

/** Where the person writes: Enter sends, Shift+Enter begins a line, files come along by button, drop or paste. */
export function Composer({ accountId, attachments, onSent, autoFocus }: ComposerProps): ReactNode {
  const { t, format } = useWords();
  const send = useCommand('local-send');
  const [text, setText] = useState(() => readDraft(accountId));
  const picker = useRef<HTMLInputElement>(null);
  const tokens = attachments.list.flatMap(({ state }) => (state.status === 'ready' ? [state.token] : []));
  const isReady = tokens.length === attachments.list.length && (text.trim() !== '' || tokens.length > 0);

  function write(next: string): void {
    setText(next);
    keepDraft(accountId, next);
  }

  async function submit(event?: SubmitEvent): Promise<void> {
    event?.preventDefault();
    if (!isReady || send.busy) return;
    const files = attachments.list;
    const outcome = await send.run({ accountId, text: text.trim() === '' ? '' : text, files: tokens });
    if (!outcome.ok) return;
    // What was added meanwhile is of the next message.
    write(restOf(readDraft(accountId), text));
    attachments.sent(files);
    onSent();
  }

  function onKey(event: KeyboardEvent): void {
    // While an input method composes, Enter belongs to it.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void submit();
  }

  function onPaste(event: ClipboardEvent): void {
    const files = [...event.clipboardData.files];
    if (files.length === 0) return;
    event.preventDefault();
    attachments.add(files);
  }

  return (
    <form className="composer" onSubmit={(event) => void submit(event)}>
      {attachments.list.length > 0 && (
        <ul className="attachments">
          {attachments.list.map((attachment) => (
            <AttachmentChip
              key={attachment.id}
              attachment={attachment}
              maxBytes={attachments.maxBytes}
              onRemove={() => attachments.remove(attachment.id)}
            />
          ))}
        </ul>
      )}
      {attachments.leftOut > 0 && (
        <Say sign="attention" tone="attention">
          {t('chat.file.too_many', { n: MAX_MESSAGE_FILES })}
        </Say>
      )}
      <Refusal of={send.refusal}> {t('chat.kept')}</Refusal>
      <div className="input">
        <button
          type="button"
          className="btn icon quiet"
          aria-label={t('chat.attach')}
          title={t('chat.attach')}
          onClick={() => picker.current?.click()}
        >
          <Icon name="clip" />
        </button>
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          onChange={({ target }) => {
            attachments.add([...(target.files ?? [])]);
            target.value = '';
          }}
        />
        <div className="grows" data-text={`${text}\u200b`}>
          <textarea
            rows={1}
            autoFocus={autoFocus}
            value={text}
            maxLength={MAX_MESSAGE_LENGTH}
            dir="auto"
            aria-label={t('chat.message')}
            placeholder={t('chat.placeholder')}
            onChange={({ target }) => write(target.value)}
            onKeyDown={onKey}
            onPaste={onPaste}
          />
        </div>
        <button
          type="submit"
          className="btn icon primary"
          aria-label={t('chat.send')}
          title={t('chat.send')}
          {...whileBusy(!isReady || send.busy, undefined)}
        >
          <Icon name="send" />
        </button>
      </div>
      <div className="hint">
        <span>
          <kbd>Enter</kbd> {t('chat.hint.send')} · <kbd>Shift</kbd> <kbd>Enter</kbd> {t('chat.hint.line')}
        </span>
        {attachments.maxBytes !== undefined && (
          <span className="hide-narrow">
            {t('chat.hint.limit', { size: format.bytes(wholeMegabytes(attachments.maxBytes)) })}
          </span>
        )}
      </div>
    </form>
  );
}

/** What a text holds beyond what was sent of it; all of it when it became another one. */
function restOf(text: string, sent: string): string {
  return text.startsWith(sent) ? text.slice(sent.length) : text;
}

/** A limit is told rounded down: what is told always fits. */
function wholeMegabytes(bytes: number): number {
  return bytes < MEGABYTE ? bytes : Math.floor(bytes / MEGABYTE) * MEGABYTE;
}
