import type { ComponentProps, ReactNode } from 'react';
import { classNames } from './class-names.js';
import { Icon, type IconName } from './Icon.js';
import { whileBusy } from './while-busy.js';

export interface ButtonLook {
  readonly kind?: 'plain' | 'primary' | 'danger' | 'quiet' | undefined;
  readonly small?: boolean | undefined;
  readonly icon?: IconName | undefined;
}

export type ButtonProps = ButtonLook &
  Omit<ComponentProps<'button'>, 'type' | 'className' | 'aria-disabled'> & {
    readonly submit?: boolean;
    /** What it does is under way; the button keeps the focus, whatever disables it otherwise. */
    readonly busy?: boolean;
  };

/** A button with words on it. One primary button a view; an ellipsis in its words means that it asks first. */
export function Button({
  kind = 'plain',
  small = false,
  icon,
  submit = false,
  busy = false,
  disabled = false,
  onClick,
  children,
  ...rest
}: ButtonProps): ReactNode {
  return (
    <button
      type={submit ? 'submit' : 'button'}
      className={buttonClass({ kind, small })}
      {...whileBusy(busy, onClick)}
      disabled={disabled && !busy}
      {...rest}
    >
      {icon !== undefined && <Icon name={icon} />}
      <span>{children}</span>
    </button>
  );
}

/** The look of a button, for links that look like one. */
export function buttonClass({ kind = 'plain', small = false }: ButtonLook): string {
  return classNames('btn', kind !== 'plain' && kind, small && 'small');
}
