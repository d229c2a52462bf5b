import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import { classNames } from './class-names.js';

interface Segment<Value extends string> {
  readonly value: Value;
  readonly label: ReactNode;
}

interface SegmentedProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly segments: readonly Segment<Value>[];
  /** Its labels are names that a person gave: any length, and more of them than a line holds. */
  readonly names?: boolean;
  readonly onPick: (value: Value) => void;
}

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** One of a few; arrow keys move, as in a group of radio buttons. */
export function Segmented<Value extends string>(props: SegmentedProps<Value>): ReactNode {
  const { label, value, segments, names = false, onPick } = props;
  const ref = useRef<HTMLDivElement>(null);

  function move(event: KeyboardEvent): void {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = segments.findIndex((segment) => segment.value === value);
    const index = (at + step + segments.length) % segments.length;
    const next = segments[index];
    if (next === undefined) return;
    onPick(next.value);
    ref.current?.querySelectorAll('button')[index]?.focus();
  }

  return (
    <div
      className={classNames('seg', names && 'names')}
      role="radiogroup"
      aria-label={label}
      ref={ref}
      onKeyDown={move}
    >
      {segments.map((segment) => (
        <button
          key={segment.value}
          type="button"
          role="radio"
          aria-checked={segment.value === value}
          tabIndex={segment.value === value ? 0 : -1}
          onClick={() => onPick(segment.value)}
        >
          {names ? (
            <span className="name" dir="auto">
              {segment.label}
            </span>
          ) : (
            segment.label
          )}
        </button>
      ))}
    </div>
  );
}
