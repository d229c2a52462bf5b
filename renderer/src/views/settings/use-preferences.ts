import type { Preferences } from '../../../../src/bridge/index.js';
import { useShellCommand, useShellFacts } from '../../bridge/index.js';
import { useRefusalWords } from '../../components/use-refusal-words.js';
import { useToast } from '../../components/toasts.js';

/** The person's choices about the window, and a way to change some of them at once. */
export function usePreferences(): readonly [Preferences, (changes: Partial<Preferences>) => void] {
  const { preferences } = useShellFacts();
  const { run } = useShellCommand('set-preferences');
  const toast = useToast();
  const refusalWords = useRefusalWords();
  return [
    preferences,
    (changes) => {
      void run(changes).then((outcome) => {
        if (!outcome.ok) toast({ text: refusalWords(outcome.refusal) });
      });
    },
  ];
}
