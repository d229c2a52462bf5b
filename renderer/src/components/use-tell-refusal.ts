import type { Outcome } from '../bridge/index.js';
import { useToast } from './toasts.js';
import { useRefusalWords } from './use-refusal-words.js';

/** Says in passing why a command was not carried out; nothing when it was. */
export function useTellRefusal(): (outcome: Outcome<unknown>) => void {
  const toast = useToast();
  const refusalWords = useRefusalWords();
  return (outcome) => {
    if (!outcome.ok) toast({ text: refusalWords(outcome.refusal) });
  };
}
