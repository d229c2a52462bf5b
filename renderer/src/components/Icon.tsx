import type { ReactNode } from 'react';
import { ICON_SHAPES, type IconName } from './icon-shapes.js';

export type { IconName };

/** A drawing beside words that say the same; hidden from readers. */
export function Icon({ name }: { readonly name: IconName }): ReactNode {
  return (
    <svg className="i" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      {ICON_SHAPES[name]}
    </svg>
  );
}
