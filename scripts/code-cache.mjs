// Writes the code caches beside the bundles of dist/: what V8 made of them, so that no start has to make it again.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const CHILD = fileURLToPath(new URL('code-cache-child.cjs', import.meta.url));
/** A start on a machine that is busy otherwise. */
const TIMEOUT_MS = 60_000;

/**
 * Starts the built program once, on a data directory of its own, and keeps what was compiled until it was ready: neither less,
 * which would be compiled at every start, nor more, which would be memory for nothing. A build without caches works as well;
 * why there are none is told.
 * @param dist the build's folder
 */
export async function writeCodeCaches(dist) {
  const folder = await mkdtemp(join(tmpdir(), 'xagent-connector-build-'));
  try {
    const config = join(folder, 'config.json');
    const server = { port: 0, apiKey: 'key-of-a-build-on-loopback' };
    await writeFile(config, JSON.stringify({ server, secrets: { store: 'file' }, log: { level: 'error' } }));
    await promisify(execFile)(process.execPath, [CHILD, dist, config, join(folder, 'data')], {
      env: { ...process.env, XAGENT_CONNECTOR_PASSPHRASE: 'build' },
      timeout: TIMEOUT_MS,
    });
  } catch (error) {
    console.error(`no code cache was written, starts will be slower: ${error instanceof Error ? error.message : ''}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
