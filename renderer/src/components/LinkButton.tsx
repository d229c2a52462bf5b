import type { ComponentProps, ReactNode } from 'react';
import { whileBusy } from './while-busy.js';

interface LinkButtonProps extends Omit<ComponentProps<'button'>, 'type' | 'className' | 'aria-disabled'> {
  /** What it does is under way; the button keeps the focus. */
  readonly busy?: boolean;
}

/** A button that reads like a link, inside a sentence or a toast. */
export function LinkButton({ busy = false, onClick, ...rest }: LinkButtonProps): ReactNode {
  return <button type="button" className="linkbtn" {...whileBusy(busy, onClick)} {...rest} />;
}
