import type { ReactNode } from 'react';
import { useDelayed } from './use-delayed.js';

/** What comes sooner needs no place holder; milliseconds. */
const AFTER_MS = 300;

/** Still grey bars in the true layout: rows of a panel that are on their way. */
export function Skeleton({ rows }: { readonly rows: number }): ReactNode {
  const shown = useDelayed(AFTER_MS);
  if (!shown) return null;
  return (
    <div className="panel" aria-hidden="true">
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className="ghost-row">
          <span className="ghost sq" />
          <div>
            <span className="ghost w2" />
            <span className="ghost w3" />
          </div>
        </div>
      ))}
    </div>
  );
}
