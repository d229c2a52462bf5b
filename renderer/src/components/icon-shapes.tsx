import type { ReactNode } from 'react';

/** Drawings on a 16 grid, stroke 1.4, round. */
export const ICON_SHAPES = {
  accounts: (
    <>
      <circle cx="5.6" cy="5.4" r="2.4" />
      <path d="M1.6 13.2c.3-2.6 1.9-4 4-4s3.7 1.4 4 4M10.7 3.3a2.3 2.3 0 0 1 0 4.3M12.2 9.7c1.3.6 2 1.8 2.2 3.5" />
    </>
  ),
  messages: (
    <path d="M2 9.3 3.7 3.6a1 1 0 0 1 1-.8h6.6a1 1 0 0 1 1 .8L14 9.3v2.9a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1zM2 9.3h3.3c.2 1.4 1.2 2.2 2.7 2.2s2.5-.8 2.7-2.2H14" />
  ),
  chat: (
    <path d="M3.3 2.8h9.4a1.3 1.3 0 0 1 1.3 1.3v6a1.3 1.3 0 0 1-1.3 1.3H7.6L4.7 13.8v-2.4H3.3A1.3 1.3 0 0 1 2 10.1v-6a1.3 1.3 0 0 1 1.3-1.3z" />
  ),
  agent: (
    <>
      <path d="M10 3.5A5 5 0 1 0 10 12.5M7.7 8h7" />
      <circle cx="7.7" cy="8" r="1.7" fill="currentColor" stroke="none" />
    </>
  ),
  settings: (
    <>
      <path d="M2 4.6h6.2M11.8 4.6H14M2 11.4h2.2M7.8 11.4H14" />
      <circle cx="10" cy="4.6" r="1.8" />
      <circle cx="6" cy="11.4" r="1.8" />
    </>
  ),
  check: <path d="m3.3 8.5 3 3 6.4-7" />,
  x: <path d="m4 4 8 8M12 4l-8 8" />,
  refresh: <path d="M13.3 8a5.3 5.3 0 1 1-1.7-3.9M13.4 2v2.9h-2.9" />,
  copy: (
    <>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
      <path d="M10.5 3.7V3.5a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h.2" />
    </>
  ),
  more: (
    <g fill="currentColor" stroke="none">
      <circle cx="3.5" cy="8" r="1.15" />
      <circle cx="8" cy="8" r="1.15" />
      <circle cx="12.5" cy="8" r="1.15" />
    </g>
  ),
  right: <path d="m6 3.5 4.5 4.5L6 12.5" />,
  down: <path d="m3.5 6 4.5 4.5L12.5 6" />,
  back: <path d="M10 3.5 5.5 8l4.5 4.5" />,
  plus: <path d="M8 3v10M3 8h10" />,
  eye: (
    <>
      <path d="M1.5 8S3.8 3.8 8 3.8 14.5 8 14.5 8 12.2 12.2 8 12.2 1.5 8 1.5 8z" />
      <circle cx="8" cy="8" r="1.9" />
    </>
  ),
  'eye-off': (
    <path d="M6.2 4.1A6.3 6.3 0 0 1 8 3.8c4.2 0 6.5 4.2 6.5 4.2a11 11 0 0 1-1.7 2.2M9.8 11.9a6.3 6.3 0 0 1-1.8.3C3.8 12.2 1.5 8 1.5 8a11 11 0 0 1 2.6-3M2.5 2.5l11 11M6.7 6.6a1.9 1.9 0 0 0 2.7 2.7" />
  ),
  external: <path d="M9.5 2.5h4v4M13.3 2.7 7.5 8.5M12 9.5v3a1 1 0 0 1-1 1H3.5a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1h3" />,
  pause: <path d="M5.5 3.5v9M10.5 3.5v9" />,
  play: <path d="M5 3.2v9.6L12.5 8z" />,
  key: (
    <>
      <circle cx="5.2" cy="10.8" r="2.9" />
      <path d="m7.3 8.7 5.9-5.9M10.7 5.3l2 2M12.5 3.5l1 1" />
    </>
  ),
  lock: (
    <>
      <rect x="3" y="7" width="10" height="6.5" rx="1.3" />
      <path d="M5.3 7V5a2.7 2.7 0 0 1 5.4 0v2" />
    </>
  ),
  file: <path d="M9 1.8H4.5a1 1 0 0 0-1 1v10.4a1 1 0 0 0 1 1h7a1 1 0 0 0 1-1V5.3zM9 1.8v3.5h3.5" />,
  image: (
    <>
      <rect x="2" y="2.8" width="12" height="10.4" rx="1.3" />
      <circle cx="5.5" cy="6.2" r="1.2" />
      <path d="m2.3 11.7 3.5-3 2.4 2 2.6-2.7 3 3" />
    </>
  ),
  clip: (
    <path d="m13 7.3-5.2 5.2a3.1 3.1 0 0 1-4.4-4.4l5.4-5.4a2.05 2.05 0 0 1 2.9 2.9l-5.3 5.3a1 1 0 0 1-1.5-1.4l4.8-4.8" />
  ),
  send: <path d="M8 13V3.5M3.8 7.5 8 3.2l4.2 4.3" />,
  trash: (
    <path d="M2.5 4.3h11M6.3 4.3V2.6h3.4v1.7M4 4.3l.6 8.3a1 1 0 0 0 1 .9h4.8a1 1 0 0 0 1-.9l.6-8.3M6.6 7v3.8M9.4 7v3.8" />
  ),
  save: <path d="M8 2.3v7.4M4.7 6.7 8 10l3.3-3.3M2.5 11.5v1a1 1 0 0 0 1 1h9a1 1 0 0 0 1-1v-1" />,
  'to-agent': <path d="M2.5 8h8M7.3 4.5 10.8 8l-3.5 3.5M13.5 3v10" />,
  'to-net': <path d="M13.5 8h-8M8.7 4.5 5.2 8l3.5 3.5M2.5 3v10" />,
  link: (
    <path d="M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2.2-2.2a2.6 2.6 0 0 0-3.7-3.7l-.8.8M9.2 6.8a2.6 2.6 0 0 0-3.7 0L3.3 9a2.6 2.6 0 0 0 3.7 3.7l.8-.8" />
  ),
  phone: (
    <>
      <rect x="4.2" y="1.7" width="7.6" height="12.6" rx="1.5" />
      <path d="M7.2 12.2h1.6" />
    </>
  ),
  info: (
    <>
      <circle cx="8" cy="8" r="6.2" />
      <path d="M8 7.4v3.7M8 4.9v.1" />
    </>
  ),
  tool: (
    <path d="M13.3 4.9a3.3 3.3 0 0 1-4.4 3.9l-4.3 4.3a1.2 1.2 0 0 1-1.7-1.7l4.3-4.3a3.3 3.3 0 0 1 3.9-4.4L9.2 4.6l.3 1.9 1.9.3z" />
  ),
  think: (
    <g fill="currentColor" stroke="none">
      <circle cx="3.5" cy="8" r="1.5" />
      <circle cx="8" cy="8" r="1.5" opacity=".7" />
      <circle cx="12.5" cy="8" r="1.5" opacity=".4" />
    </g>
  ),
  idle: <path d="M4 8h8" />,
  disk: (
    <>
      <ellipse cx="8" cy="4" rx="5.2" ry="2" />
      <path d="M2.8 4v8c0 1.1 2.3 2 5.2 2s5.2-.9 5.2-2V4M2.8 8c0 1.1 2.3 2 5.2 2s5.2-.9 5.2-2" />
    </>
  ),
  pulse: <path d="M1.5 8.5h3L6.3 4l3 8.5 1.8-4h3.4" />,
} as const satisfies Record<string, ReactNode>;

export type IconName = keyof typeof ICON_SHAPES;
