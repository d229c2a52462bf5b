import type { ReactNode } from 'react';
import { classNames } from './class-names.js';

interface EmptyProps {
  /** An icon or a sign. */
  readonly picture?: ReactNode;
  readonly title: string;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
  /** `open` stands on the canvas, `middle` in the middle of a panel. */
  readonly place?: 'open' | 'middle';
}

/** What will be here and the one way to fill it; good emptiness is calm and has no button. */
export function Empty({ picture, title, children, actions, place }: EmptyProps): ReactNode {
  return (
    <div className={classNames('empty', place === 'open' && 'open', place === 'middle' && 'mid')}>
      {picture}
      <h2>{title}</h2>
      {children}
      {Boolean(actions) && <div className="acts">{actions}</div>}
    </div>
  );
}
