import type { Language } from '../../bridge/index.js';
import { EN, type WordKey } from './en.js';
import { ZH } from './zh.js';

export type { WordKey } from './en.js';

/** Values that are put into a sentence; `count` also chooses its form. */
export type WordValues = Readonly<Record<string, string | number>>;

/** A sentence of the shell in the person's language. */
export type Say = (key: WordKey, values?: WordValues) => string;

const MAPS: Readonly<Record<Language, Readonly<Record<WordKey, string>>>> = { en: EN, zh: ZH };

export function wordsIn(language: Language): Say {
  const words = MAPS[language];
  return (key, values = {}) => {
    const one = `${key}.one`;
    const form = values['count'] === 1 && isKey(one) ? one : key;
    const said = words[form].replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
    return language === 'zh' ? spaced(said) : said;
  };
}

/** Chinese beside Latin letters or digits has a space between; what is put into a sentence may be either. */
function spaced(text: string): string {
  return text.replace(/(\p{Script=Han})([A-Za-z0-9])/gu, '$1 $2').replace(/([A-Za-z0-9])(\p{Script=Han})/gu, '$1 $2');
}

/** A network by its own name in the person's language; one that has no words is called what its card calls it. */
export function networkName(say: Say, connector: string, label: string): string {
  const key = `network.${connector}`;
  return isKey(key) ? say(key) : label;
}

/** Whether there are words for it. */
export function isKey(key: string): key is WordKey {
  return Object.hasOwn(EN, key);
}
