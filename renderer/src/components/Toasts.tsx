import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { useWords } from '../words/index.js';
import { IconButton } from './IconButton.js';
import { LinkButton } from './LinkButton.js';
import { type Toast, ToastContext } from './toasts.js';

/** Long enough to read a short sentence twice; it waits while it is pointed at or has the focus. Milliseconds. */
const SHOWN_MS = 4000;

/** Holds the one toast there is; a newer one takes its place. */
export function Toasts({ children }: { readonly children: ReactNode }): ReactNode {
  const { t } = useWords();
  const [toast, setToast] = useState<Toast & { readonly id: number }>();
  const [held, setHeld] = useState(false);
  const show = useCallback((next: Toast) => setToast((last) => ({ ...next, id: (last?.id ?? 0) + 1 })), []);

  const hide = (): void => {
    setToast(undefined);
    setHeld(false);
  };

  useEffect(() => {
    if (toast === undefined || held) return undefined;
    const timer = setTimeout(() => setToast(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [toast, held]);

  return (
    <ToastContext value={show}>
      {children}
      <div className="toasts" role="status" aria-live="polite">
        {toast !== undefined && (
          <div
            key={toast.id}
            className="toast"
            onPointerEnter={() => setHeld(true)}
            onPointerLeave={() => setHeld(false)}
            onFocus={() => setHeld(true)}
            onBlur={() => setHeld(false)}
          >
            <span>{toast.text}</span>
            {toast.undo !== undefined && (
              <LinkButton
                onClick={() => {
                  toast.undo?.();
                  hide();
                }}
              >
                {t('action.undo')}
              </LinkButton>
            )}
            <IconButton icon="x" label={t('toast.dismiss')} onClick={hide} />
          </div>
        )}
      </div>
    </ToastContext>
  );
}
