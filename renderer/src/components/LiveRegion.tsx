import { type ReactNode, useCallback, useState } from 'react';
import { AnnounceContext } from './announcing.js';

/** The one polite region of the window. The same words twice are said twice: a space that nobody sees makes them differ. */
export function LiveRegion({ children }: { readonly children: ReactNode }): ReactNode {
  const [said, setSaid] = useState({ text: '', turn: false });
  const announce = useCallback((text: string) => setSaid((last) => ({ text, turn: !last.turn })), []);
  return (
    <AnnounceContext value={announce}>
      {children}
      <p className="sr" role="status" aria-live="polite" data-live>
        {said.turn ? `${said.text}\u00a0` : said.text}
      </p>
    </AnnounceContext>
  );
}
