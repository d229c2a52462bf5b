import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withoutCodeBlocks } from './documents.mjs';

/** Links to files and headings of this project that lead nowhere; links to the web are not followed. */
export function findDeadLinks(root, documents) {
  return documents.flatMap(({ path, text }) =>
    linksOf(text)
      .filter((link) => !/^[a-z][a-z0-9+.-]*:/i.test(link))
      .filter((link) => !leadsSomewhere(root, path, text, link))
      .map((link) => `${path}: the link ${link} leads nowhere`),
  );
}

function linksOf(text) {
  const prose = withoutCodeBlocks(text).replace(/`[^`\n]*`/g, '');
  const inline = [...prose.matchAll(/\]\(([^)\s]+)(?:\s+"[^"]*")?\)/g)].map(([, link]) => link);
  const html = [...prose.matchAll(/\s(?:href|src|srcset)="([^"]+)"/g)].map(([, link]) => link);
  return [...inline, ...html];
}

function leadsSomewhere(root, from, text, link) {
  const [file, anchor] = link.split('#');
  const target = file === '' ? join(root, from) : join(root, dirname(from), decodeURIComponent(file));
  if (!existsSync(target)) return false;
  if (anchor === undefined || anchor === '' || statSync(target).isDirectory() || !target.endsWith('.md')) return true;
  return headingsOf(file === '' ? text : readFileSync(target, 'utf8')).has(anchor);
}

/** Anchors as forges make them of headings. */
function headingsOf(text) {
  const counts = new Map();
  const anchors = new Set();
  for (const [, heading] of withoutCodeBlocks(text).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)) {
    const slug = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-');
    const seen = counts.get(slug) ?? 0;
    counts.set(slug, seen + 1);
    anchors.add(seen === 0 ? slug : `${slug}-${seen}`);
  }
  return anchors;
}
