import type { ComponentProps, ReactNode } from 'react';
import { buttonClass, type ButtonLook } from './Button.js';
import { Icon } from './Icon.js';

/** A link to a place in the window that looks like a button. */
export function ButtonLink({
  kind,
  small,
  icon,
  children,
  ...rest
}: ButtonLook & Omit<ComponentProps<'a'>, 'className'>): ReactNode {
  return (
    <a className={buttonClass({ kind, small })} {...rest}>
      {icon !== undefined && <Icon name={icon} />}
      <span>{children}</span>
    </a>
  );
}
