import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';

interface DialogProps {
  readonly title: string;
  /** Esc, or the safe button. */
  readonly onClose: () => void;
  /** Asks before something that can't be undone: a reader says it at once. */
  readonly asks?: boolean;
  readonly children: ReactNode;
}

/** A dialog over everything. The safe button stands first and has the focus; Esc closes it and gives the focus back. */
export function Dialog({ title, onClose, asks = false, children }: DialogProps): ReactNode {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Closed while it is still on the page: only then the browser gives the focus back to what had it.
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      className="dialog"
      role={asks ? 'alertdialog' : undefined}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}
