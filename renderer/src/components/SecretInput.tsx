import { type ComponentProps, type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { IconButton } from './IconButton.js';
import { TextInput } from './TextInput.js';

interface SecretInputProps extends Omit<ComponentProps<typeof TextInput>, 'type' | 'end' | 'mono'> {
  /** Of the button, hidden and shown. */
  readonly showLabel: string;
  readonly hideLabel: string;
}

/** A secret a person types in; hidden until they want to see it. It stands in the field alone, not in the page's markup. */
export function SecretInput({ showLabel, hideLabel, ...rest }: SecretInputProps): ReactNode {
  const [shown, setShown] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  // React writes a field's value into its attribute as well, with every change.
  useLayoutEffect(() => field.current?.removeAttribute('value'));
  return (
    <TextInput
      ref={field}
      mono
      type={shown ? 'text' : 'password'}
      end={
        <IconButton
          icon={shown ? 'eye-off' : 'eye'}
          label={shown ? hideLabel : showLabel}
          onClick={() => setShown(!shown)}
        />
      }
      {...rest}
    />
  );
}
