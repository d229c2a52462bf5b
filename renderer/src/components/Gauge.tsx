import type { ReactNode } from 'react';

interface GaugeProps {
  readonly value: number;
  readonly max: number;
  /** From here down it is low. */
  readonly lowAt: number;
  /** The sentence that it draws. */
  readonly label: string;
}

const STEP = 6;

/** A few of something, each one a bar. */
export function Gauge({ value, max, lowAt, label }: GaugeProps): ReactNode {
  return (
    <svg
      className={value <= lowAt ? 'gauge low' : 'gauge'}
      viewBox={`0 0 ${max * STEP} 8`}
      role="img"
      aria-label={label}
    >
      {Array.from({ length: max }, (_, index) => (
        <rect key={index} className={index < value ? 'on' : 'off'} x={index * STEP} y="0" width="4" height="8" rx="1" />
      ))}
    </svg>
  );
}
