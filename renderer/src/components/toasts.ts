import { createContext, use } from 'react';

export interface Toast {
  readonly text: string;
  readonly undo?: () => void;
}

export const ToastContext = createContext<(toast: Toast) => void>(() => undefined);

/** Says that something is done; never the only place where a fact stands. */
export function useToast(): (toast: Toast) => void {
  return use(ToastContext);
}
