import type { ReactNode } from 'react';
import { Button } from './Button.js';
import { Dialog } from './Dialog.js';

interface ConfirmDialogProps {
  readonly title: string;
  readonly text: string;
  /** The safe button, named after what it keeps. */
  readonly keep: string;
  readonly confirm: string;
  readonly busy?: boolean;
  readonly onKeep: () => void;
  readonly onConfirm: () => void;
  /** Why it did not work. */
  readonly children?: ReactNode;
}

/** Asks before something that can't be undone. */
export function ConfirmDialog(props: ConfirmDialogProps): ReactNode {
  const { title, text, keep, confirm, busy = false, onKeep, onConfirm, children } = props;
  return (
    <Dialog title={title} onClose={onKeep} asks>
      <p>{text}</p>
      {children}
      <div className="acts">
        <Button onClick={onKeep}>{keep}</Button>
        <Button kind="danger" busy={busy} onClick={onConfirm}>
          {confirm}
        </Button>
      </div>
    </Dialog>
  );
}
