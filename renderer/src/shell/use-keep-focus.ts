import { useEffect } from 'react';

/** What Tab stops at, without what an open dialog keeps to itself. */
const STOPS = 'a[href], button:not(:disabled):not([tabindex="-1"]), input, textarea';
/** Of these there are several alike beside each other: whoever works through them goes on with the next one. */
const ALIKE = 'tr, article, li';

/**
 * What had the focus and left the page hands it on: to the same place in the row beside it, else to the heading. A browser would
 * drop it, and who works by keys or listens would begin at the top of the page after each message that was delivered meanwhile.
 */
export function useKeepFocus(): void {
  useEffect(() => {
    let last: Element | undefined;
    const onFocus = ({ target }: FocusEvent): void => {
      last = target instanceof Element ? target : undefined;
    };
    // A click beside everything takes the focus away because the person wanted it so.
    const onPointer = (): void => {
      last = undefined;
    };
    const observer = new MutationObserver((records) => {
      if (last === undefined || last.isConnected || document.activeElement !== document.body) return;
      const gone = last;
      last = undefined;
      const record = records.find(({ removedNodes }) => [...removedNodes].some((node) => node.contains(gone)));
      const heir = record && besides(record, gone);
      (heir ?? document.querySelector<HTMLElement>('main h1'))?.focus({ preventScroll: heir === undefined });
    });
    document.addEventListener('focusin', onFocus);
    document.addEventListener('pointerdown', onPointer, { capture: true });
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      document.removeEventListener('focusin', onFocus);
      document.removeEventListener('pointerdown', onPointer, { capture: true });
      observer.disconnect();
    };
  }, []);
}

function besides(
  { removedNodes, nextSibling, previousSibling }: MutationRecord,
  gone: Element,
): HTMLElement | undefined {
  const row = [...removedNodes].find((node) => node.contains(gone));
  if (!(row instanceof Element) || !row.matches(ALIKE)) return undefined;
  const at = stopsOf(row).findIndex((stop) => stop === gone);
  for (const other of [nextSibling, previousSibling]) {
    if (!(other instanceof Element) || !other.isConnected || !other.matches(ALIKE)) continue;
    const stops = stopsOf(other);
    const stop = stops[at] ?? stops.at(-1);
    if (stop !== undefined) return stop;
  }
  return undefined;
}

function stopsOf(row: Element): HTMLElement[] {
  return [...row.querySelectorAll<HTMLElement>(STOPS)].filter((stop) => stop.closest('dialog') === null);
}
