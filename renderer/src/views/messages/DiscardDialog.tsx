import type { ReactNode } from 'react';
import { useCommand, useNow } from '../../bridge/index.js';
import { ConfirmDialog } from '../../components/ConfirmDialog.js';
import { useToast } from '../../components/toasts.js';
import { Refusal } from '../../components/Refusal.js';
import { useWords } from '../../words/index.js';
import type { AccountOfNetwork } from './groups.js';
import { type Direction, kindWords } from './kind-words.js';
import type { HeldReply, PendingMessage } from './queues.js';

/** What is to be dropped. */
export interface Discarding extends AccountOfNetwork {
  readonly message: PendingMessage | HeldReply;
  readonly direction: Direction;
}

interface DiscardDialogProps {
  readonly of: Discarding;
  readonly onClose: () => void;
}

/** Asks before a message is dropped: nobody will see it, and nobody is told. */
export function DiscardDialog({
  of: { connector, account, message, direction },
  onClose,
}: DiscardDialogProps): ReactNode {
  const words = useWords();
  const { t, format } = words;
  const now = useNow();
  const toast = useToast();
  const { run, busy, refusal } = useCommand('discard');

  async function discard(): Promise<void> {
    const outcome = await run({ accountId: account.accountId, messageId: message.messageId });
    if (outcome.ok) toast({ text: t('messages.discard.done') });
    if (outcome.ok) onClose();
  }

  return (
    <ConfirmDialog
      title={t('messages.discard.title')}
      text={t(`messages.discard.text_${direction}`, {
        what: kindWords(message, words, direction),
        network: words.network(connector.name, connector.label),
        age: format.duration(now - ('heldAt' in message ? message.heldAt : message.receivedAt)),
      })}
      keep={t('messages.discard.keep')}
      confirm={t('messages.discard.confirm')}
      busy={busy}
      onKeep={onClose}
      onConfirm={() => void discard()}
    >
      <Refusal of={refusal} />
    </ConfirmDialog>
  );
}
