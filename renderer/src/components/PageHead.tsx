import type { ReactNode } from 'react';
import { Icon } from './Icon.js';

interface PageHeadProps {
  readonly title: string;
  /** One sentence about how things stand. */
  readonly sub?: string | undefined;
  readonly actions?: ReactNode;
  /** The view above this one. */
  readonly up?: { readonly label: string; readonly href: string };
}

/** The heading of a view; the shell gives it the focus when the view appears. */
export function PageHead({ title, sub, actions, up }: PageHeadProps): ReactNode {
  return (
    <header className="head">
      <div className="grow">
        {up !== undefined && (
          <a className="crumb" href={up.href}>
            <Icon name="back" />
            <span>{up.label}</span>
          </a>
        )}
        <h1 tabIndex={-1}>{title}</h1>
        {sub !== undefined && <p>{sub}</p>}
      </div>
      {Boolean(actions) && <div className="acts">{actions}</div>}
    </header>
  );
}
