import type { ReactNode } from 'react';
import type { Snapshot } from '../../../../src/bridge/index.js';
import { useShellCommand } from '../../bridge/index.js';
import { ConfirmDialog } from '../../components/ConfirmDialog.js';
import { useToast } from '../../components/toasts.js';
import { Refusal } from '../../components/Refusal.js';
import { useWords } from '../../words/index.js';

interface RotateDialogProps {
  readonly snapshot: Snapshot;
  readonly onClose: () => void;
}

/** Asks before the key is changed: every agent has to be told. */
export function RotateDialog({ snapshot: { agents }, onClose }: RotateDialogProps): ReactNode {
  const { t } = useWords();
  const toast = useToast();
  const { run, busy, refusal } = useShellCommand('rotate-and-copy-api-key');

  async function rotate(): Promise<void> {
    const outcome = await run({});
    if (!outcome.ok) return;
    toast({ text: t('agent.rotate.done') });
    onClose();
  }

  return (
    <ConfirmDialog
      title={t('agent.rotate.title')}
      text={agents.length === 0 ? t('agent.rotate.text_none') : t('agent.rotate.text', { n: agents.length })}
      keep={t('agent.rotate.keep')}
      confirm={t('agent.rotate.confirm')}
      busy={busy}
      onKeep={onClose}
      onConfirm={() => void rotate()}
    >
      <Refusal of={refusal} />
    </ConfirmDialog>
  );
}
