import { useEffect } from 'react';
import { navigate, VIEW_NAMES } from './route.js';

/** F6 moves between side bar and content, Ctrl or ⌘ with 1 to 5 picks a view. */
export function useKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      // A dialog keeps the keys to itself.
      if (document.querySelector('dialog[open]') !== null) return;
      if (event.key === 'F6') {
        event.preventDefault();
        movePane();
        return;
      }
      if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
      const view = VIEW_NAMES[Number(event.key) - 1];
      if (view === undefined) return;
      event.preventDefault();
      navigate(view);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

function movePane(): void {
  const side = document.querySelector<HTMLElement>('.side');
  const inSide = side?.contains(document.activeElement) === true;
  const target = inSide ? 'main h1' : '.side a[aria-current]';
  document.querySelector<HTMLElement>(target)?.focus();
}
