import type { ReactNode } from 'react';

/** The signs of states (design: silhouette first, colour second), on a 16 grid; `k` cuts out in the colour of the ground. */
export const SIGN_SHAPES = {
  ok: (
    <>
      <circle cx="8" cy="8" r="7" />
      <path className="k" d="m4.9 8.3 2.2 2.2 4.1-4.7" />
    </>
  ),
  busy: <path className="s" d="M8 2a6 6 0 1 1-5.65 4" />,
  wait: (
    <>
      <circle className="s" cx="8" cy="8" r="6.2" />
      <path className="s" d="M8 4.6V8l2.4 1.5" />
    </>
  ),
  attention: (
    <>
      <path d="M6.7 1.9a1.5 1.5 0 0 1 2.6 0l5.9 10.5a1.5 1.5 0 0 1-1.3 2.2H2.1a1.5 1.5 0 0 1-1.3-2.2z" />
      <path className="k" d="M8 5.6v3.9M8 12v.05" />
    </>
  ),
  danger: (
    <>
      <path d="M5.3 1h5.4L15 5.3v5.4L10.7 15H5.3L1 10.7V5.3z" />
      <path className="k" d="m5.7 5.7 4.6 4.6M10.3 5.7l-4.6 4.6" />
    </>
  ),
  offline: <path className="s" d="M3.7 3.7a6.1 6.1 0 0 0 8.6 8.6M13.7 10.2A6.1 6.1 0 0 0 5.8 2.3M2 2l12 12" />,
  paused: (
    <>
      <rect x="1.5" y="1.5" width="13" height="13" rx="3" />
      <path className="k" d="M6 5v6M10 5v6" />
    </>
  ),
  locked: (
    <>
      <path d="M3.5 6.8h9A1.5 1.5 0 0 1 14 8.3v5a1.5 1.5 0 0 1-1.5 1.5h-9A1.5 1.5 0 0 1 2 13.3v-5a1.5 1.5 0 0 1 1.5-1.5z" />
      <path className="s" d="M5 7V4.6a3 3 0 0 1 6 0V7" />
      <path className="k" d="M8 10v1.8" />
    </>
  ),
  none: <circle className="s" cx="8" cy="8" r="6.2" strokeDasharray="2.6 2.26" />,
  unknown: (
    <>
      <path d="M8 .6 15.4 8 8 15.4.6 8z" />
      <path className="k" d="M6.3 6.5a1.75 1.75 0 1 1 2.5 1.6c-.5.25-.8.6-.8 1.1M8 11.3v.05" />
    </>
  ),
  hold: (
    <>
      <rect className="s" x="1.8" y="2.8" width="12.4" height="10.4" rx="2.4" />
      <path className="s" d="M5 8h.05M8 8h.05M11 8h.05" />
    </>
  ),
} as const satisfies Record<string, ReactNode>;

export type SignName = keyof typeof SIGN_SHAPES;
