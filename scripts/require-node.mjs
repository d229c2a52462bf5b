// Imported first by what builds: a Node.js that the build's tools can't run on is named in one line, instead of by a stack of theirs.
import { readFileSync } from 'node:fs';

/**
 * Whether a version is in a range of alternatives such as `^20.19 || >=22.12.0`, the two forms that engines are given in.
 * @param {string} range
 * @param {string} version `20.12.2`
 */
export function accepts(range, version) {
  const [major, minor] = version.split('.').map(Number);
  return range.split('||').some((alternative) => {
    const [, sign, low, from = '0'] = /^\s*(\^|>=)\s*(\d+)(?:\.(\d+))?/.exec(alternative) ?? [];
    if (major === Number(low)) return minor >= Number(from);
    return sign === '>=' && major > Number(low);
  });
}

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
if (!accepts(engines.node, process.versions.node)) {
  console.error(`This needs Node.js ${engines.node.replace('||', 'or')}; this is ${process.versions.node}.`);
  process.exit(1);
}
