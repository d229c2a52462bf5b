import type { ReactNode } from 'react';
import { classNames } from './class-names.js';
import { useDelayed } from './use-delayed.js';

/** What comes sooner needs no place holder; milliseconds. */
const AFTER_MS = 300;

/** What is on its way: accounts with their facts, rows of a panel, rows of a table, or what was said in a chat. */
export type SkeletonShape = 'accounts' | 'rows' | 'table' | 'chat';

export interface SkeletonProps {
  readonly shape: SkeletonShape;
  readonly rows: number;
}

/** Still grey bars in the true layout, so that nothing moves when what they stand for is there. */
export function Skeleton({ shape, rows }: SkeletonProps): ReactNode {
  const shown = useDelayed(AFTER_MS);
  if (!shown) return null;
  return (
    <div className={classNames(shape !== 'chat' && 'panel', `ghosts-${shape}`)} aria-hidden="true">
      {Array.from({ length: rows }, (_, index) =>
        shape === 'accounts' ? <Account key={index} /> : <Row key={index} />,
      )}
    </div>
  );
}

function Account(): ReactNode {
  return (
    <div className="ghost-account">
      <span className="ghost sq" />
      <div>
        <span className="ghost w2" />
        <span className="ghost w3" />
        <div className="facts">
          <span className="ghost" />
          <span className="ghost" />
          <span className="ghost" />
          <span className="ghost" />
        </div>
      </div>
    </div>
  );
}

function Row(): ReactNode {
  return (
    <div className="ghost-row">
      <span className="ghost" />
    </div>
  );
}
