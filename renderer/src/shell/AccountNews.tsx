import { type ReactNode, useEffect, useRef } from 'react';
import { useShellFacts, useSnapshot } from '../bridge/index.js';
import { useAnnounce } from '../components/announcing.js';
import { useWords } from '../words/index.js';
import { sentenceOf } from '../views/accounts/sentence.js';
import { accountsOf } from './accounts-of.js';

/** A state that flaps is not news until it has stayed this long; milliseconds. */
const STABLE_MS = 3000;

/** Tells those who listen when an account's sentence changed and stayed: once, and never its countdowns. */
export function AccountNews(): ReactNode {
  const words = useWords();
  const { language } = words;
  const announce = useAnnounce();
  const { online } = useShellFacts();
  const snapshot = useSnapshot();
  const told = useRef<{ readonly language: string; readonly sentences: ReadonlyMap<string, string> }>(undefined);

  const sentences = snapshot && spoken();
  const key = sentences && JSON.stringify([...sentences]);

  function spoken(): ReadonlyMap<string, string> {
    const rows = snapshot === undefined ? [] : accountsOf(snapshot, online);
    return new Map(
      rows.map((row) => {
        const { connector, account } = row;
        const network = words.network(connector.name, connector.label);
        return [account.accountId, `${network}: ${sentenceOf(row, words, undefined)}`];
      }),
    );
  }

  useEffect(() => {
    if (key === undefined) return undefined;
    const now = { language, sentences: new Map(JSON.parse(key) as [string, string][]) };
    // Nobody is told what was so at the start, or that it is said in another language now.
    if (told.current?.language !== language) {
      told.current = now;
      return undefined;
    }
    const timer = setTimeout(() => {
      const before = told.current?.sentences;
      told.current = now;
      const changed = [...now.sentences].filter(([id, sentence]) => before?.get(id) !== sentence);
      if (changed.length > 0) announce(changed.map(([, sentence]) => sentence).join(' '));
    }, STABLE_MS);
    return () => clearTimeout(timer);
  }, [key, language, announce]);

  return null;
}
