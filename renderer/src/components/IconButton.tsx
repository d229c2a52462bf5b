import type { ComponentProps, ReactNode } from 'react';
import { Icon, type IconName } from './Icon.js';
import { whileBusy } from './while-busy.js';

interface IconButtonProps extends Omit<
  ComponentProps<'button'>,
  'type' | 'className' | 'aria-label' | 'title' | 'aria-disabled'
> {
  readonly icon: IconName;
  /** Says what it does and to what: `Retry now, text from Telegram`. */
  readonly label: string;
  /** What it does is under way; the button keeps the focus. */
  readonly busy?: boolean;
}

/** A small button with a drawing; its words are there for readers and as a tooltip. */
export function IconButton({ icon, label, busy = false, onClick, ...rest }: IconButtonProps): ReactNode {
  return (
    <button
      type="button"
      className="btn icon quiet small"
      aria-label={label}
      title={label}
      {...whileBusy(busy, onClick)}
      {...rest}
    >
      <Icon name={icon} />
    </button>
  );
}
