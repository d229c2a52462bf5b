import type { MouseEvent, MouseEventHandler } from 'react';

interface Pressable {
  readonly 'aria-disabled': true | undefined;
  readonly onClick: MouseEventHandler<HTMLButtonElement> | undefined;
}

/**
 * A button while what it does is under way: pressed again it does nothing, nor does Enter in the field of its form. It is not
 * `disabled`, because a browser takes the focus from what becomes that, and who works by keys would begin at the top of the page.
 */
export function whileBusy(busy: boolean, onClick: MouseEventHandler<HTMLButtonElement> | undefined): Pressable {
  return busy ? { 'aria-disabled': true, onClick: prevent } : { 'aria-disabled': undefined, onClick };
}

function prevent(event: MouseEvent): void {
  event.preventDefault();
}
