import type { Preferences } from '../../../../src/bridge/index.js';
import { useShellCommand, useShellFacts } from '../../bridge/index.js';
import { useTellRefusal } from '../../components/use-tell-refusal.js';

/** The person's choices about the window, and a way to change some of them at once. */
export function usePreferences(): readonly [Preferences, (changes: Partial<Preferences>) => void] {
  const { preferences } = useShellFacts();
  const { run } = useShellCommand('set-preferences');
  const tellRefusal = useTellRefusal();
  return [
    preferences,
    (changes) => {
      void run(changes).then(tellRefusal);
    },
  ];
}
