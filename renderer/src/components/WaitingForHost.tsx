import type { ReactNode } from 'react';
import { useHost } from '../bridge/index.js';
import { Skeleton, type SkeletonProps } from './Skeleton.js';

/** In place of what a view shows while there is no snapshot: bars while the host starts, nothing when a banner says that it can't. */
export function WaitingForHost(props: SkeletonProps): ReactNode {
  return useHost().stage === 'starting' ? <Skeleton {...props} /> : null;
}
