import { type ReactNode, useState } from 'react';
import { DiscardDialog, type Discarding } from './DiscardDialog.js';

/**
 * Asks whether a message is to be dropped. What is asked about may be gone by the time, and its list with it: the question stands until it
 * is answered, and does not come up again later, so it is shown beside an empty list too.
 */
export function useDiscard(): { readonly ask: (what: Discarding) => void; readonly dialog: ReactNode } {
  const [discarding, setDiscarding] = useState<Discarding>();
  const dialog = discarding !== undefined && <DiscardDialog of={discarding} onClose={() => setDiscarding(undefined)} />;
  return { ask: setDiscarding, dialog };
}
