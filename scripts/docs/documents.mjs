import { readFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';

/**
 * Every Markdown document that belongs to the project, as git knows them; a new one counts before it is committed.
 * @returns {Promise<{ path: string, text: string }[]>} paths relative to the root
 */
export async function documents(root) {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
    cwd: root,
    encoding: 'utf8',
  });
  const paths = [...new Set(listed.split('\n').filter((path) => path !== ''))];
  return Promise.all(paths.map(async (path) => ({ path, text: await readFile(`${root}${path}`, 'utf8') })));
}

/** A document without its code blocks, where brackets and names are examples. */
export function withoutCodeBlocks(text) {
  return text.replace(/^(```|~~~)[\s\S]*?^\1/gm, '');
}

/** Everything written as code: blocks by line, and spans. */
export function codeOf(text) {
  const blocks = [...text.matchAll(/^```[^\n]*\n([\s\S]*?)^```/gm)].flatMap(([, body]) => body.split('\n'));
  const spans = [...withoutCodeBlocks(text).matchAll(/`([^`\n]+)`/g)].map(([, span]) => span);
  return { blocks: blocks.map((line) => line.trim()).filter((line) => line !== ''), spans };
}
