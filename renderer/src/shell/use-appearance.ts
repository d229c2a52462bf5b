import { useLayoutEffect } from 'react';
import type { Preferences } from '../../../src/bridge/index.js';

/** Tells the page which theme and language it is in; a theme of the system is the system's own affair. */
export function useAppearance(theme: Preferences['theme'], tag: string): void {
  useLayoutEffect(() => {
    const { documentElement: root } = document;
    if (theme === 'system') delete root.dataset['theme'];
    else root.dataset['theme'] = theme;
    root.lang = tag;
  }, [theme, tag]);
}
