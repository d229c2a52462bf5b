import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import { useWords } from '../words/index.js';
import { keyTarget } from './key-target.js';

interface Tab<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly count?: number | undefined;
}

interface TabsProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly tabs: readonly Tab<Value>[];
  /** Of the element that shows what was picked. */
  readonly panelId: string;
  readonly onPick: (value: Value) => void;
}

/** The id of a tab, for its panel's `aria-labelledby`. */
export function tabId(panelId: string, value: string): string {
  return `${panelId}-${value}`;
}

/** Which of several lists is shown; arrow keys, Home and End move. */
export function Tabs<Value extends string>(props: TabsProps<Value>): ReactNode {
  const { label, value, tabs, panelId, onPick } = props;
  const { format } = useWords();
  const ref = useRef<HTMLDivElement>(null);

  function move(event: KeyboardEvent): void {
    const at = tabs.findIndex((tab) => tab.value === value);
    const index = keyTarget(event.key, { back: 'ArrowLeft', forward: 'ArrowRight' }, at, tabs.length);
    const next = index === undefined ? undefined : tabs[index];
    if (index === undefined || next === undefined) return;
    event.preventDefault();
    onPick(next.value);
    ref.current?.querySelectorAll('button')[index]?.focus();
  }

  return (
    <div className="seg" role="tablist" aria-label={label} ref={ref} onKeyDown={move}>
      {tabs.map((tab) => (
        <button
          key={tab.value}
          type="button"
          role="tab"
          id={tabId(panelId, tab.value)}
          aria-selected={tab.value === value}
          aria-controls={panelId}
          tabIndex={tab.value === value ? 0 : -1}
          onClick={() => onPick(tab.value)}
        >
          <span>{tab.label}</span>
          {tab.count !== undefined && <span className="num">{format.number(tab.count)}</span>}
        </button>
      ))}
    </div>
  );
}
