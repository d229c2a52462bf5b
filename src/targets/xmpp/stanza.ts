/** A piece of XML as a plain value, with its namespace resolved: what is read and written is judged without any library. */
export interface Stanza {
  readonly name: string;
  /** Empty when the stream's own namespace applies. */
  readonly ns: string;
  readonly attrs: Readonly<Record<string, string>>;
  readonly children: readonly (Stanza | string)[];
}

/** Builds a piece of XML. Undefined attributes and children are left out. */
export function el(
  name: string,
  attrs: Readonly<Record<string, string | undefined>> & { readonly xmlns?: string | undefined },
  ...children: readonly (Stanza | string | undefined)[]
): Stanza {
  const { xmlns = '', ...others } = attrs;
  const given = Object.entries(others).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));
  return {
    name,
    ns: xmlns,
    attrs: Object.fromEntries(given),
    children: children.filter((child) => child !== undefined),
  };
}

/** The first child with this name and namespace. */
export function childOf(stanza: Stanza | undefined, name: string, ns: string): Stanza | undefined {
  return childrenOf(stanza, name, ns)[0];
}

export function childrenOf(stanza: Stanza | undefined, name: string, ns: string): Stanza[] {
  return elementsOf(stanza).filter((child) => child.name === name && child.ns === ns);
}

export function elementsOf(stanza: Stanza | undefined): Stanza[] {
  return (stanza?.children ?? []).filter((child) => typeof child !== 'string');
}

/** The text directly inside, byte for byte. */
export function textOf(stanza: Stanza | undefined): string {
  return (stanza?.children ?? []).filter((child) => typeof child === 'string').join('');
}

/** The fields of a form (XEP-0004), first value of each. */
export function formValues(form: Stanza): Readonly<Record<string, string>> {
  const fields = childrenOf(form, 'field', form.ns).map((field) => [
    field.attrs['var'] ?? '',
    textOf(childOf(field, 'value', form.ns)),
  ]);
  return Object.fromEntries(fields) as Record<string, string>;
}

/** What XML 1.0 can't carry, in any form: one such character and the server ends the stream. */
const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** The text with what XML can't carry replaced, so that the reader sees where something was. */
export function xmlText(text: string): string {
  return text.replace(NOT_XML, '\ufffd');
}
