import type { ReactNode } from 'react';
import { NETWORK_SHAPES } from './network-shapes.js';

/** What kind of account a network is: person in a bubble, bot, briefcase, server, laptop. An unknown one is a server. */
export function NetworkGlyph({ network }: { readonly network: string }): ReactNode {
  return (
    <svg className="n" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      {shapeOf(network)}
    </svg>
  );
}

function shapeOf(network: string): ReactNode {
  const shapes: Readonly<Record<string, ReactNode>> = NETWORK_SHAPES;
  return shapes[network] ?? NETWORK_SHAPES.xmpp;
}
