import { type ReactNode, useMemo } from 'react';
import type { ShellFacts } from '../../src/bridge/index.js';
import { useView } from './bridge/index.js';
import { NoSession } from './shell/NoSession.js';
import { useAppearance } from './shell/use-appearance.js';
import { Window } from './shell/Window.js';
import { createWords, WordsContext } from './words/index.js';

/** The whole page: the window, or what a browser without a session is told. Nothing while nothing was heard. */
export function App(): ReactNode {
  const view = useView();
  if (view.kind === 'loading') return null;
  return view.kind === 'no_session' ? (
    <InLanguage shell={view.shell}>
      <NoSession />
    </InLanguage>
  ) : (
    <InLanguage shell={view.state.shell}>
      <Window />
    </InLanguage>
  );
}

function InLanguage({ shell, children }: { readonly shell: ShellFacts; readonly children: ReactNode }): ReactNode {
  const { language: chosen, theme } = shell.preferences;
  const language = chosen === 'system' ? shell.systemLanguage : chosen;
  const words = useMemo(() => createWords(language), [language]);
  useAppearance(theme, words.tag);
  return <WordsContext value={words}>{children}</WordsContext>;
}
