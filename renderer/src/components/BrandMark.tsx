import type { ReactNode } from 'react';

/** The app's mark: a ball in a socket. */
export function BrandMark(): ReactNode {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path
        d="M9.6 3.05A5.3 5.3 0 1 0 9.6 12.95M8 8h7"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.8"
        strokeLinecap="round"
      />
      <circle cx="8" cy="8" r="2.5" fill="currentColor" />
    </svg>
  );
}
