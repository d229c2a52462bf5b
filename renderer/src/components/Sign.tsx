import type { ReactNode } from 'react';
import { SIGN_SHAPES, type SignName } from './sign-shapes.js';

export type { SignName };

/** How a state concerns the person: its colour. The silhouette tells states apart without it. */
export type Tone = 'ok' | 'attention' | 'danger' | 'idle' | 'busy';

/** Of anything, while the host is out of reach: no sign of a line that is well, over one that nobody can see. */
export const NOT_KNOWN = { sign: 'offline', tone: 'idle' } as const;

interface SignProps {
  readonly name: SignName;
  readonly tone: Tone;
}

/** The sign of a state; hidden from readers, because its sentence follows. Only the ring of something under way turns. */
export function Sign({ name, tone }: SignProps): ReactNode {
  return (
    <svg
      className={`st is-${tone}${name === 'busy' ? ' spin' : ''}`}
      viewBox="0 0 16 16"
      aria-hidden="true"
      focusable="false"
    >
      {SIGN_SHAPES[name]}
    </svg>
  );
}
