/** Where a text stops being JSON, as an editor counts: both from 1. */
export interface JsonFault {
  readonly line: number;
  readonly column: number;
}

/** One token after the white space before it (RFC 8259). */
const TOKEN =
  /[ \t\n\r]*(?:([{}[\],:])|("(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/y;
const SPACE = /[ \t\n\r]*/y;

/** What may come next. A list or object that has just begun may end at once; one after a comma may not. */
type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end';

/**
 * The first place at which `text` is not JSON; undefined when all of it is. What the engine says of it differs from one version to the
 * next, and quotes the text, which may hold a secret.
 */
export function jsonFault(text: string): JsonFault | undefined {
  const open: ('{' | '[')[] = [];
  let expected: Expected | 'nothing' = 'value';
  let at = 0;
  while (expected !== 'nothing') {
    TOKEN.lastIndex = at;
    const [whole, sign, string] = TOKEN.exec(text) ?? [];
    const next: Expected | 'nothing' | undefined =
      whole === undefined ? undefined : after(expected, sign ?? (string === undefined ? 'literal' : 'string'), open);
    if (whole === undefined || next === undefined) return placeOf(text, skipSpace(text, at));
    at += whole.length;
    expected = next;
  }
  at = skipSpace(text, at);
  return at === text.length ? undefined : placeOf(text, at);
}

/** What may follow a token; undefined when the token itself may not be there. Keeps `open`, the lists and objects around it. */
function after(expected: Expected, token: string, open: ('{' | '[')[]): Expected | 'nothing' | undefined {
  const ended = (): Expected | 'nothing' => (open.length === 0 ? 'nothing' : 'comma or end');
  const inObject = open.at(-1) === '{';
  if (token === (inObject ? '}' : ']') && open.length > 0 && expected.endsWith('or end')) {
    open.pop();
    return ended();
  }
  switch (expected) {
    case 'key':
    case 'key or end':
      return token === 'string' ? 'colon' : undefined;
    case 'colon':
      return token === ':' ? 'value' : undefined;
    case 'comma or end':
      return token === ',' ? (inObject ? 'key' : 'value') : undefined;
    case 'value':
    case 'value or end':
      if (token === 'string' || token === 'literal') return ended();
      if (token !== '{' && token !== '[') return undefined;
      open.push(token);
      return token === '{' ? 'key or end' : 'value or end';
  }
}

function skipSpace(text: string, at: number): number {
  SPACE.lastIndex = at;
  return at + (SPACE.exec(text)?.[0].length ?? 0);
}

function placeOf(text: string, at: number): JsonFault {
  const before = text.slice(0, at).split(/\r\n|\n|\r/);
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
