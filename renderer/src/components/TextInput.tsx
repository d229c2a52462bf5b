import type { ComponentProps, ReactNode } from 'react';
import { classNames } from './class-names.js';

interface TextInputProps extends Omit<ComponentProps<'input'>, 'className' | 'onChange'> {
  readonly onText?: (text: string) => void;
  /** Ids, keys and addresses. */
  readonly mono?: boolean;
  /** A verify code: large and spaced. */
  readonly code?: boolean;
  /** What stands at its end, inside its edge. */
  readonly end?: ReactNode;
}

/** One line of text. */
export function TextInput({ onText, mono = false, code = false, end, ...rest }: TextInputProps): ReactNode {
  const bad = rest['aria-invalid'] === true;
  return (
    <div className={classNames('input', bad && 'bad', code && 'code-in', rest.readOnly && 'ro')}>
      <input
        type="text"
        spellCheck={false}
        autoComplete="off"
        className={mono ? 'mono' : undefined}
        onChange={onText && (({ target }) => onText(target.value))}
        {...rest}
      />
      {end}
    </div>
  );
}
