import type { ReactNode } from 'react';

/** What kind of account a network is, on a 20 grid: no brand logos. */
export const NETWORK_SHAPES = {
  wechat: (
    <>
      <path d="M10 2.8c4.3 0 7.5 2.8 7.5 6.4s-3.2 6.4-7.5 6.4c-.8 0-1.5-.1-2.2-.3L4.3 17.2l.7-3.2c-1.6-1.2-2.5-2.9-2.5-4.8 0-3.6 3.2-6.4 7.5-6.4z" />
      <circle cx="10" cy="7.5" r="1.6" />
      <path d="M6.9 12.4c.4-1.6 1.5-2.4 3.1-2.4s2.7.8 3.1 2.4" />
    </>
  ),
  telegram: (
    <>
      <rect x="3" y="6.2" width="14" height="10.3" rx="2.6" />
      <path d="M10 6.2V3.6M7.3 10.3v1.4M12.7 10.3v1.4M1.3 10.5v2M18.7 10.5v2" />
      <circle cx="10" cy="2.7" r=".9" fill="currentColor" />
    </>
  ),
  feishu: (
    <>
      <rect x="2.5" y="6" width="15" height="10.7" rx="1.8" />
      <path d="M7 6V4.5a1.2 1.2 0 0 1 1.2-1.2h3.6A1.2 1.2 0 0 1 13 4.5V6M2.7 10.6h5.6M11.7 10.6h5.6" />
      <rect x="8.3" y="9.2" width="3.4" height="2.8" rx=".7" />
    </>
  ),
  xmpp: (
    <>
      <rect x="3" y="3" width="14" height="5.6" rx="1.5" />
      <rect x="3" y="11.4" width="14" height="5.6" rx="1.5" />
      <path d="M6 5.8h.05M6 14.2h.05M9 5.8h5M9 14.2h5" />
    </>
  ),
  local: (
    <>
      <rect x="3.8" y="3.8" width="12.4" height="8.7" rx="1.4" />
      <path d="M1.8 15.8h16.4M7.5 8.2h5" />
    </>
  ),
} as const satisfies Record<string, ReactNode>;
