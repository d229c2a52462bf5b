import type { ReactNode } from 'react';
import { useHost } from '../bridge/index.js';
import { Skeleton } from './Skeleton.js';

/** In place of rows while there is no snapshot: bars while the host starts, nothing when a banner says that it can't. */
export function WaitingForHost({ rows }: { readonly rows: number }): ReactNode {
  return useHost().stage === 'starting' ? <Skeleton rows={rows} /> : null;
}
