import type { ComponentProps, ReactNode } from 'react';
import { classNames } from './class-names.js';
import { Icon, type IconName } from './Icon.js';

export interface ButtonLook {
  readonly kind?: 'plain' | 'primary' | 'danger' | 'quiet' | undefined;
  readonly small?: boolean | undefined;
  readonly icon?: IconName | undefined;
}

export type ButtonProps = ButtonLook &
  Omit<ComponentProps<'button'>, 'type' | 'className'> & { readonly submit?: boolean };

/** A button with words on it. One primary button a view; an ellipsis in its words means that it asks first. */
export function Button({
  kind = 'plain',
  small = false,
  icon,
  submit = false,
  children,
  ...rest
}: ButtonProps): ReactNode {
  return (
    <button type={submit ? 'submit' : 'button'} className={buttonClass({ kind, small })} {...rest}>
      {icon !== undefined && <Icon name={icon} />}
      <span>{children}</span>
    </button>
  );
}

/** The look of a button, for links that look like one. */
export function buttonClass({ kind = 'plain', small = false }: ButtonLook): string {
  return classNames('btn', kind !== 'plain' && kind, small && 'small');
}
