import { type ComponentProps, type ReactNode, useState } from 'react';
import { IconButton } from './IconButton.js';
import { TextInput } from './TextInput.js';

interface SecretInputProps extends Omit<ComponentProps<typeof TextInput>, 'type' | 'end' | 'mono'> {
  /** Of the button, hidden and shown. */
  readonly showLabel: string;
  readonly hideLabel: string;
}

/** A secret a person types in; hidden until they want to see it. */
export function SecretInput({ showLabel, hideLabel, ...rest }: SecretInputProps): ReactNode {
  const [shown, setShown] = useState(false);
  return (
    <TextInput
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
