import type { ReactNode } from 'react';
import type { CommandRefused } from '../bridge/index.js';
import { Say } from './Say.js';
import { Told } from './Told.js';
import { useRefusalWords } from './use-refusal-words.js';

interface RefusalProps {
  /** Nothing is shown while there is none. */
  readonly of: CommandRefused | undefined;
  /** What else is to be known about it. */
  readonly children?: ReactNode;
}

/** Why a command was not carried out, where it was given. */
export function Refusal({ of, children }: RefusalProps): ReactNode {
  const refusalWords = useRefusalWords();
  return (
    <Told>
      {of !== undefined && (
        <Say sign="danger" tone="danger">
          {refusalWords(of)}
          {children}
        </Say>
      )}
    </Told>
  );
}
