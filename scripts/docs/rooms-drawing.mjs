import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** Rooms from the top down, the order in which they are drawn. */
const TOP_DOWN = [
  'desktop',
  'renderer',
  'host',
  'bridge',
  'server',
  'agent-server',
  'connector',
  'delivery',
  'targets',
  'files',
  'store',
  'e2a',
  'protocol',
  'base',
];

/**
 * The rooms and who imports whom, read from the imports themselves, as a Mermaid drawing. An arrow that others imply is left
 * out, so that the drawing shows the shortest way down. Dotted arrows carry types only.
 */
export async function roomsDrawing(root) {
  const edges = readEdges(root);
  const direct = [...edges.keys()].filter((edge) => !isImplied(edge, edges));
  const lines = direct
    .map((edge) => edge.split(' '))
    .sort(([a, x], [b, y]) => rank(a) - rank(b) || rank(x) - rank(y))
    .map(([from, to]) => `  ${from} ${edges.get(`${from} ${to}`) === 'types' ? '-.->' : '-->'} ${to}`);
  return ['```mermaid', 'graph TD', ...lines, '```'].join('\n');
}

function readEdges(root) {
  const edges = new Map();
  for (const file of sources(root)) {
    const from = roomOf(relative(root, file));
    if (from === undefined) continue;
    for (const { path, kind } of importsOf(file)) {
      const to = roomOf(relative(root, join(dirname(file), path)));
      if (to === undefined || to === from) continue;
      const edge = `${from} ${to}`;
      if (edges.get(edge) !== 'values') edges.set(edge, kind);
    }
  }
  return edges;
}

function sources(root) {
  return ['src', 'renderer'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name))
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name)),
  );
}

/** A folder under src/ is a room, and the window is one; the two entry files compose and belong to none. */
function roomOf(path) {
  if (path.startsWith('renderer/')) return 'renderer';
  return /^src\/([^/]+)\//.exec(path)?.[1];
}

function importsOf(file) {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/^(?:import|export)\s+(type\s)?([^;]*?)from\s+'(\.[^']+)'/gm)].map(
    ([, type, names, path]) => ({
      path,
      kind: type !== undefined || onlyTypes(names) ? 'types' : 'values',
    }),
  );
}

function onlyTypes(names) {
  const listed = /^\{([\s\S]*)\}\s*$/.exec(names.trim())?.[1];
  if (listed === undefined) return false;
  return listed
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .every((name) => name.startsWith('type '));
}

/** Whether another way leads there that is at least as strong. */
function isImplied(edge, edges) {
  const [from, to] = edge.split(' ');
  const wanted = edges.get(edge);
  const seen = new Set();
  const reach = (room, first) => {
    for (const [step, kind] of edges) {
      const [a, b] = step.split(' ');
      if (a !== room || (first && b === to) || seen.has(b)) continue;
      if (wanted === 'values' && kind === 'types') continue;
      if (b === to) return true;
      seen.add(b);
      if (reach(b, false)) return true;
    }
    return false;
  };
  return reach(from, true);
}

function rank(room) {
  const place = TOP_DOWN.indexOf(room);
  return place === -1 ? TOP_DOWN.length : place;
}
