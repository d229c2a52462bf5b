import type { ReactNode } from 'react';
import { classNames } from './class-names.js';
import { Sign, type SignName, type Tone } from './Sign.js';

interface SayProps {
  readonly sign: SignName;
  readonly tone: Tone;
  readonly middle?: boolean;
  readonly inline?: boolean;
  readonly children: ReactNode;
}

/** A sentence with its sign. */
export function Say({ sign, tone, middle = false, inline = false, children }: SayProps): ReactNode {
  const Element = inline ? 'span' : 'p';
  return (
    <Element className={classNames('say', middle && 'mid')}>
      <Sign name={sign} tone={tone} />
      <span>{children}</span>
    </Element>
  );
}
