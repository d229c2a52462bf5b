// The built product as a whole process, on a data directory of its own.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProgram } from './programs.mjs';

const CLI = process.env['XAGENT_BENCH_CLI'] ?? fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

/** Such as `--cpu-prof --cpu-prof-dir=DIR`, for whoever looks into a figure. */
const NODE_FLAGS = process.env['XAGENT_BENCH_NODE_FLAGS']?.split(' ') ?? [];

/** Known to the bench, which is the agent; loopback only. */
export const API_KEY = 'bench-key-on-loopback-only';

/**
 * Starts `serve`. Secrets are in a file, because no measurement may touch the machine's keychain.
 * @param folder holds configuration and data; used again, it is the same installation
 */
export async function startHost(folder, { config = {}, probed = true } = {}) {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'config.json');
  const dataDir = join(folder, 'data');
  writeFileSync(
    file,
    JSON.stringify({
      server: { port: 0, apiKey: API_KEY },
      secrets: { store: 'file' },
      log: { level: 'warn' },
      ...config,
    }),
  );
  const program = await startProgram([CLI, 'serve', '--ready-json', '--config', file, '--data-dir', dataDir], {
    env: { XAGENT_CONNECTOR_PASSPHRASE: 'bench' },
    flags: NODE_FLAGS,
    probed,
  });
  return Object.assign(program, { url: program.ready.url, dataDir });
}
