import type { ReactNode } from 'react';
import { classNames } from './class-names.js';

interface ProgressBarProps {
  readonly label: string;
  readonly value: number;
  readonly max: number;
  /** Little is left. */
  readonly low?: boolean;
}

/** How much of something is there or left. */
export function ProgressBar({ label, value, max, low = false }: ProgressBarProps): ReactNode {
  return (
    <progress
      className={classNames('bar', low && 'low')}
      max={max}
      value={Math.min(max, Math.max(0, value))}
      aria-label={label}
    />
  );
}
