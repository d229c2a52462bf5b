import type { CommandRefused } from '../bridge/index.js';
import { useWords } from '../words/index.js';

/** What is said about a command that was refused. */
export function useRefusalWords(): (refusal: CommandRefused) => string {
  const { code } = useWords();
  return (refusal) => code('refusal', refusal.code, { detail: refusal.message });
}
