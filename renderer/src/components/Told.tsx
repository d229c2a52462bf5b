import type { ReactNode } from 'react';

/**
 * Where a sentence comes up beside what somebody did, such as why it was refused: told to those who listen where it stands, in
 * a dialog too, while which the rest of the page is silent. It is there before the sentence is, and takes no room.
 */
export function Told({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <div className="told-of" aria-live="polite">
      {children}
    </div>
  );
}
