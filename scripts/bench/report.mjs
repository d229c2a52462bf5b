// The table, for people; with --json the same rows for programs.

const HEADS = ['figure', 'product', 'baseline', 'ratio', 'spread', 'target', ''];

export function table(rows) {
  const lines = rows.map((row) => [
    row.name,
    `${short(row.product)} ${row.unit}`,
    row.baseline === undefined ? '—' : `${short(row.baseline)} ${row.unit}`,
    row.ratio === undefined ? '—' : short(row.ratio),
    `${short(row.spread[0])} – ${short(row.spread[1])}`,
    row.target ?? '—',
    verdict(row),
  ]);
  const widths = HEADS.map((head, column) => Math.max(...[HEADS, ...lines].map((line) => line[column].length)));
  const print = (line) => `| ${line.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  return [print(HEADS), print(widths.map((width) => '-'.repeat(width))), ...lines.map(print)].join('\n');
}

function verdict({ reached }) {
  if (reached === undefined) return '';
  return reached ? 'reached' : 'MISSED';
}

/** Three significant digits are more than a shared machine repeats. */
function short(value) {
  const size = Math.abs(value);
  if (size >= 100) return Math.round(value).toLocaleString('en-US');
  if (size >= 10) return value.toFixed(1);
  return size >= 0.1 || size === 0 ? value.toFixed(2) : value.toPrecision(2);
}
