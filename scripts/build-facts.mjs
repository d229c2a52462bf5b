import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * The facts stamped into a build (protocol 3.0 section 4.3): equal in card and health, and there without git too.
 * @param {URL} root the project's folder
 * @param {Date} now when it is built; `SOURCE_DATE_EPOCH` (seconds) goes before it, for repeatable builds
 */
export function buildFacts(root, now = new Date()) {
  const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
  const epoch = Number(process.env.SOURCE_DATE_EPOCH);
  const time = Number.isFinite(epoch) && epoch > 0 ? new Date(epoch * 1000) : now;
  return {
    version,
    git_tag: git(root, 'describe', '--tags', '--abbrev=0') || `v${version}`,
    git_rev: git(root, 'rev-parse', '--short=12', 'HEAD') || 'unknown',
    build_time: stamp(time),
  };
}

/** yyMMddHHmm in UTC. */
function stamp(time) {
  const two = (number) => String(number).padStart(2, '0');
  return (
    two(time.getUTCFullYear() % 100) +
    two(time.getUTCMonth() + 1) +
    two(time.getUTCDate()) +
    two(time.getUTCHours()) +
    two(time.getUTCMinutes())
  );
}

/** What git prints; empty where there is no git, no repository, or no answer. */
function git(root, ...args) {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
}
