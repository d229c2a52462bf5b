import { useState } from 'react';
import type { Preferences } from '../../../src/bridge/index.js';
import { useShellCommand, useShellFacts } from '../bridge/index.js';
import { useTellRefusal } from './use-tell-refusal.js';

interface Asked {
  readonly changes: Partial<Preferences>;
  /** The preferences as they were known then. */
  readonly before: Preferences;
}

/** The person's choices about the window, and a way to change some of them at once. */
export function usePreferences(): readonly [Preferences, (changes: Partial<Preferences>) => void] {
  const { preferences } = useShellFacts();
  const [asked, setAsked] = useState<Asked>();
  const { run } = useShellCommand('set-preferences');
  const tellRefusal = useTellRefusal();
  const open = asked === undefined ? {} : unanswered(asked, preferences);
  return [
    { ...preferences, ...open },
    (changes) => {
      const next: Asked = { changes: { ...open, ...changes }, before: preferences };
      setAsked(next);
      void run(changes).then((outcome) => {
        tellRefusal(outcome);
        if (!outcome.ok) setAsked((now) => (now === next ? undefined : now));
      });
    },
  ];
}

/** What was asked for and is not known to be done: a switch answers the hand at once, not when the shell's answer is back. */
function unanswered({ changes, before }: Asked, now: Preferences): Partial<Preferences> {
  const isOpen = (key: string): boolean => now[key as keyof Preferences] === before[key as keyof Preferences];
  return Object.fromEntries(Object.entries(changes).filter(([key]) => isOpen(key)));
}
