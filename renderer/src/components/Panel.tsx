import type { ComponentProps, ReactNode } from 'react';
import { classNames } from './class-names.js';

/** One panel with rows between hairlines; no boxes in boxes. */
export function Panel({ className, ...rest }: ComponentProps<'section'>): ReactNode {
  return <section className={classNames('panel', className)} {...rest} />;
}
