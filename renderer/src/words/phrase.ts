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

/** Puts values into a text; numbers as the language writes them. A value that is not given stays visible as its name. */
export function fill(text: string, values: Values, number: (value: number) => string): string {
  return text.replace(NAMED, (whole, name: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === 'number' ? number(value) : value;
  });
}
