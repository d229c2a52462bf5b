import { useEffect, useRef } from 'react';

/** After a change of place the heading has the focus, so that readers and keys begin there. */
export function useFocusHeading(place: string): void {
  const last = useRef(place);
  useEffect(() => {
    if (last.current === place) return;
    last.current = place;
    document.querySelector<HTMLElement>('main h1')?.focus();
  }, [place]);
}
