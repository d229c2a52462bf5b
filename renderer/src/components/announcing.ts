import { createContext, use } from 'react';

export const AnnounceContext = createContext<(text: string) => void>(() => undefined);

/** Tells those who listen, politely. Ages and countdowns are never announced. */
export function useAnnounce(): (text: string) => void {
  return use(AnnounceContext);
}
