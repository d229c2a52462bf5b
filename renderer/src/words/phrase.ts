/** What is said for one code: a text with `{named}` values, or one text for each plural form, chosen by the value `n`. */
export type Phrase = string | PluralPhrase;

export interface PluralPhrase {
  readonly one: string;
  readonly other: string;
}

export type PhraseList = Readonly<Record<string, Phrase>>;

/** The same list in another language: every code and no other. Chinese has one plural form. */
export type TranslationOf<List extends PhraseList> = { readonly [Code in keyof List]: string };

type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

/** The names of the values that a phrase needs. */
export type ValueNames<P extends Phrase> = P extends string
  ? NamesIn<P>
  : P extends PluralPhrase
    ? NamesIn<P['one'] | P['other']> | 'n'
    : never;

export type Values = Readonly<Record<string, string | number>>;

const NAMED = /\{(\w+)\}/g;

/** The names of the values in a text, in order. */
export function namesIn(text: string): readonly string[] {
  return [...text.matchAll(NAMED)].flatMap(([, name]) => (name === undefined ? [] : [name]));
}

/** How a language writes numbers, and what it puts between a text and a value inside it. */
export interface Setting {
  readonly number: (value: number) => string;
  readonly joint: (before: string, after: string) => string;
}

/** Puts values into a text. A value that is not given stays visible as its name. */
export function fill(text: string, values: Values, { number, joint }: Setting): string {
  let said = '';
  let at = 0;
  for (const match of text.matchAll(NAMED)) {
    const value = values[match[1] ?? ''] ?? match[0];
    said = joint(joint(said, text.slice(at, match.index)), typeof value === 'number' ? number(value) : value);
    at = match.index + match[0].length;
  }
  return joint(said, text.slice(at));
}

/** Languages with spaces between words say them in their texts. */
export function joinPlainly(before: string, after: string): string {
  return before + after;
}

const HAN_END = /\p{Script=Han}$/u;
const HAN_START = /^\p{Script=Han}/u;
const LATIN_END = /[\p{Script=Latin}\p{Nd}]$/u;
const LATIN_START = /^[\p{Script=Latin}\p{Nd}@]/u;

/** Chinese: a space between Han and Latin letters or digits, and none between Han and Han, whichever name comes in. */
export function joinChinese(before: string, after: string): string {
  const left = before.replace(/ $/, '');
  const right = after.replace(/^ /, '');
  if (HAN_END.test(left) && HAN_START.test(right)) return left + right;
  const meets = (HAN_END.test(left) && LATIN_START.test(right)) || (LATIN_END.test(left) && HAN_START.test(right));
  return meets ? `${left} ${right}` : before + after;
}
