/** A fenced code block of Markdown: from the start of its opening line to behind its closing line. */
export interface Fence {
  readonly start: number;
  readonly end: number;
}

/** A run of at least three backticks or tildes that opens a line; quotes and indents may stand before it. */
const OPENING = /^[ \t>]*(`{3,}|~{3,})(.*)$/;

/** Finds the fenced code blocks of a text, in order. A block that is never closed goes to the end, as renderers read it. */
export function findFences(text: string): Fence[] {
  const fences: Fence[] = [];
  let open: { readonly start: number; readonly mark: string } | undefined;
  for (let at = 0; at < text.length;) {
    const newline = text.indexOf('\n', at);
    const end = newline < 0 ? text.length : newline + 1;
    const match = mayOpen(text, at) ? OPENING.exec(text.slice(at, end).trimEnd()) : null;
    const [, mark = '', rest = ''] = match ?? [];
    if (open === undefined) {
      // A backtick behind the mark makes it inline code on one line.
      if (match && !(mark.startsWith('`') && rest.includes('`'))) open = { start: at, mark };
    } else if (match && mark.startsWith(open.mark) && rest.trim() === '') {
      fences.push({ start: open.start, end });
      open = undefined;
    }
    at = end;
  }
  if (open) fences.push({ start: open.start, end: text.length });
  return fences;
}

/** A cheap first look, so that long lines are not copied. */
function mayOpen(text: string, at: number): boolean {
  const char = text.charAt(at);
  return char === '`' || char === '~' || char === ' ' || char === '\t' || char === '>';
}
