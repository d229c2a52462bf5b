import type { ReactNode } from 'react';

interface PulseProps {
  /** One letter a minute, oldest first, the running one last, as in the snapshot. */
  readonly pulse: string;
  /** The sentence that it draws. */
  readonly label: string;
}

/** Ticks are this far apart on the drawing. */
const STEP = 3;

/** The last half hour, one tick a minute: tall where a round trip completed, a dot where none did, a gap for sleep. */
export function Pulse({ pulse, label }: PulseProps): ReactNode {
  const last = pulse.length - 1;
  return (
    <svg className="pulse" viewBox={`0 0 ${pulse.length * STEP - 1} 14`} role="img" aria-label={label}>
      {Array.from(pulse, (letter, index) => (
        <Tick key={index} letter={letter} x={index * STEP} now={index === last} />
      ))}
    </svg>
  );
}

function Tick({ letter, x, now }: { readonly letter: string; readonly x: number; readonly now: boolean }): ReactNode {
  const mark = now ? ' now' : '';
  if (letter === 'a') return <rect className={`t${mark}`} x={x} y="2" width={now ? 2 : 1} height="10" rx="1" />;
  if (letter === 'l') return <rect className="l" x={x} y="6" width="2" height="6" rx="1" />;
  if (letter === 'n') return <rect className={`m${mark}`} x={x} y="10" width="2" height="2" rx="1" />;
  return null;
}
