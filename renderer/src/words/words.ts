import type { Language } from '../../../src/bridge/index.js';
import { createFormat, LOCALES, type Format } from './format.js';
import { LISTS, type EnglishWords, type WordCode } from './lists.js';
import { once } from './once.js';
import { fill, joinChinese, joinPlainly, type Phrase, type ValueNames, type Values } from './phrase.js';

type ValuesOf<Code extends WordCode> = Readonly<Record<ValueNames<EnglishWords[Code]>, string | number>> &
  (ValueNames<EnglishWords[Code]> extends never
    ? unknown
    : 'n' extends ValueNames<EnglishWords[Code]>
      ? { readonly n: number }
      : unknown);
type ValueArguments<Code extends WordCode> = [ValueNames<EnglishWords[Code]>] extends [never] ? [] : [ValuesOf<Code>];

/** The prefixes under which codes of the host have words. */
type Kind = WordCode extends infer Code ? (Code extends `${infer Prefix}.other` ? Prefix : never) : never;

/** Everything the window says, in one language. */
export interface Words {
  readonly language: Language;
  /** For the root's `lang`. */
  readonly tag: string;
  readonly format: Format;
  /** What is said for a code of our own; its values are checked at compile time. */
  readonly t: <Code extends WordCode>(code: Code, ...values: ValueArguments<Code>) => string;
  /**
   * What is said for a code that came from the host, such as a state's or a refusal's: the words of `kind.code`, of a numbered
   * code's family (`http_502` → `kind.http_`, with `{number}`), or else of `kind.other` with `{code}`.
   */
  readonly code: (kind: Kind, code: string, values?: Values) => string;
  /** Whether a code of the host has words of its own. */
  readonly knows: (kind: Kind, code: string) => boolean;
  /** What is said for a name of the host that may have words here, such as a form's field; else the fallback. */
  readonly named: (prefix: 'network' | 'field' | 'field_help' | 'how', name: string, fallback: string) => string;
  /** A network's name, as people call it. */
  readonly network: (name: string, label?: string) => string;
}

const NUMBERED = /^([a-z]+_)(-?\d+)$/;

export function createWords(language: Language): Words {
  const list: Readonly<Record<string, Phrase>> = LISTS[language];
  const format = createFormat(language);
  const rules = once(() => new Intl.PluralRules(LOCALES[language]));

  const setting = { number: format.number, joint: language === 'zh' ? joinChinese : joinPlainly };

  function say(phrase: Phrase, values: Values): string {
    if (typeof phrase === 'string') return fill(phrase, values, setting);
    const n = Number(values['n']);
    return fill(rules().select(n) === 'one' ? phrase.one : phrase.other, values, setting);
  }

  function known(kind: Kind, code: string): { phrase: Phrase; values: Values } | undefined {
    const exact = list[`${kind}.${code}`];
    if (exact !== undefined && code !== 'other') return { phrase: exact, values: {} };
    const [, family = '', number = ''] = NUMBERED.exec(code) ?? [];
    const numbered = list[`${kind}.${family}`];
    return family !== '' && numbered !== undefined ? { phrase: numbered, values: { number } } : undefined;
  }

  function named(prefix: string, name: string, fallback: string): string {
    const phrase = list[`${prefix}.${name}`];
    return phrase === undefined ? fallback : say(phrase, {});
  }

  return {
    language,
    tag: language === 'zh' ? 'zh-CN' : 'en',
    format,
    t: (code, ...[values]) => say(LISTS[language][code], values ?? {}),
    code: (kind, code, values = {}) => {
      const { phrase, values: own } = known(kind, code) ?? { phrase: list[`${kind}.other`] ?? code, values: { code } };
      return say(phrase, { ...values, ...own });
    },
    knows: (kind, code) => known(kind, code) !== undefined,
    named,
    network: (name, label = name) => named('network', name, label),
  };
}
