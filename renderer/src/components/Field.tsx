import { type ReactNode, useId } from 'react';
import { useWords } from '../words/index.js';
import { Say } from './Say.js';
import { Told } from './Told.js';

export interface FieldIds {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

interface FieldProps {
  readonly label: string;
  readonly optional?: boolean | undefined;
  readonly help?: string | undefined;
  /** What is wrong with the one input; takes the place of the help. */
  readonly error?: string | undefined;
  /** What is known about it, instead of the help: it is being checked, or right. */
  readonly note?: ReactNode;
  /** The input; spreads these ids. */
  readonly children: (ids: FieldIds) => ReactNode;
}

/** A label, its input, and one line about it. */
export function Field({ label, optional = false, help, error, note, children }: FieldProps): ReactNode {
  const { t } = useWords();
  const id = useId();
  const line = note ?? help;
  const about = error === undefined && line === undefined ? undefined : `${id}-about`;
  return (
    <div className="field">
      <label htmlFor={id}>
        <span>{label}</span>
        {optional && <span className="opt"> {t('word.optional')}</span>}
      </label>
      {children({ id, 'aria-describedby': about, 'aria-invalid': error === undefined ? undefined : true })}
      <Told>
        {error !== undefined && (
          <p className="help" id={about}>
            <Say inline sign="danger" tone="danger">
              {error}
            </Say>
          </p>
        )}
      </Told>
      {error === undefined && line !== undefined && (
        <p className="help" id={about}>
          {line}
        </p>
      )}
    </div>
  );
}
