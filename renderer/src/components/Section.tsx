import { type ReactNode, useId } from 'react';

interface SectionProps {
  readonly title: string;
  /** A few words that go on where the title ends. */
  readonly sub?: string | undefined;
  /** Buttons at the end of the heading. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a view under a heading of its own. */
export function Section({ title, sub, actions, children }: SectionProps): ReactNode {
  const id = useId();
  return (
    <section className="section" aria-labelledby={id}>
      <div className="sec">
        <h2 id={id}>{title}</h2>
        {sub !== undefined && <span className="sub">{sub}</span>}
        {actions !== undefined && <span className="right">{actions}</span>}
      </div>
      {children}
    </section>
  );
}
