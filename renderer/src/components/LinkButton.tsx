import type { ComponentProps, ReactNode } from 'react';

/** A button that reads like a link, inside a sentence or a toast. */
export function LinkButton(props: Omit<ComponentProps<'button'>, 'type' | 'className'>): ReactNode {
  return <button type="button" className="linkbtn" {...props} />;
}
