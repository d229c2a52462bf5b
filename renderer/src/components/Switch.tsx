import type { ComponentProps, ReactNode } from 'react';

interface SwitchProps extends Omit<ComponentProps<'input'>, 'type' | 'role' | 'className' | 'checked' | 'onChange'> {
  readonly on: boolean;
  readonly onSwitch: (on: boolean) => void;
}

/** Takes effect at once. Its label is a `<label>` around or for it, or `aria-labelledby`. */
export function Switch({ on, onSwitch, ...rest }: SwitchProps): ReactNode {
  return (
    <input
      type="checkbox"
      role="switch"
      className="switch"
      checked={on}
      onChange={({ target }) => onSwitch(target.checked)}
      {...rest}
    />
  );
}
