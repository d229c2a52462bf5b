import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** The list as rows: package, what proves that it is there, the suite that waits for it. */
function listed() {
  return readFileSync(new URL('system-packages.txt', import.meta.url), 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [name, proof, ...suite] = line.split(/\s+/);
      return { name, proof, suite: suite.join(' ') };
    });
}

const quiet = (command, args) => spawnSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

function isThere({ name, proof }) {
  const package_ = quiet('dpkg-query', ['-W', '-f', '${db:Status-Status}', name]);
  if (package_.status === 0 && package_.stdout === 'installed') return true;
  if (proof?.includes('.so')) return quiet('ldconfig', ['-p']).stdout?.includes(proof) ?? false;
  return (process.env.PATH ?? '').split(':').some((folder) => folder !== '' && existsSync(`${folder}/${proof}`));
}

function canInstall() {
  return process.getuid?.() === 0 && quiet('apt-get', ['--version']).status === 0;
}

/**
 * Makes sure that what the suites need of the system is there: installs it where that is allowed (root, apt), else
 * names each missing part and the suite that waits for it.
 * @returns whether everything is there now
 */
export function ensureSystemPackages() {
  if (process.platform !== 'linux') return true; // The suites that need them are Linux's own.
  let missing = listed().filter((row) => !isThere(row));
  if (missing.length > 0 && canInstall()) {
    console.log(`Installing ${missing.map(({ name }) => name).join(', ')}`);
    const apt = (...args) =>
      spawnSync('apt-get', ['-q', '-y', ...args], {
        stdio: ['ignore', 'inherit', 'inherit'],
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      });
    apt('update');
    apt('install', '--no-install-recommends', ...missing.map(({ name }) => name));
    missing = missing.filter((row) => !isThere(row));
  }
  for (const { name, suite } of missing) console.error(`Missing: ${name}. The suite "${suite}" waits for it.`);
  return missing.length === 0;
}
