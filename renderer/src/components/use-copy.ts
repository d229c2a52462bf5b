import { useShellCommand } from '../bridge/index.js';
import { useWords } from '../words/index.js';
import { useRefusalWords } from './use-refusal-words.js';
import { useToast } from './toasts.js';

/** Copies a text to the clipboard and says so. */
export function useCopy(): (text: string, said?: string) => void {
  const { t } = useWords();
  const { run } = useShellCommand('copy-text');
  const refusalWords = useRefusalWords();
  const toast = useToast();
  return (text, said = t('toast.copied')) => {
    void run({ text }).then((outcome) => toast({ text: outcome.ok ? said : refusalWords(outcome.refusal) }));
  };
}
