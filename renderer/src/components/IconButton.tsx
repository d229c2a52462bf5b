import type { ComponentProps, ReactNode } from 'react';
import { Icon, type IconName } from './Icon.js';

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'type' | 'className' | 'aria-label' | 'title'> {
  readonly icon: IconName;
  /** Says what it does and to what: `Retry now, text from Telegram`. */
  readonly label: string;
}

/** A small button with a drawing; its words are there for readers and as a tooltip. */
export function IconButton({ icon, label, ...rest }: IconButtonProps): ReactNode {
  return (
    <button type="button" className="btn icon quiet small" aria-label={label} title={label} {...rest}>
      <Icon name={icon} />
    </button>
  );
}
