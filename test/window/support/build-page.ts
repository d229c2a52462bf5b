import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the page as it was just built. */
    page: string;
  }
}

/** Builds the page into a folder of its own. */
export async function buildPage(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'xagent-connector-page-'));
  // A test runner has an environment of its own; the page is built as it is shipped.
  const { NODE_ENV } = process.env;
  process.env['NODE_ENV'] = 'production';
  try {
    await build({
      configFile: fileURLToPath(new URL('../../../renderer/vite.config.mts', import.meta.url)),
      logLevel: 'warn',
      build: { outDir: folder },
    });
  } finally {
    if (NODE_ENV === undefined) delete process.env['NODE_ENV'];
    else process.env['NODE_ENV'] = NODE_ENV;
  }
  return folder;
}

/** Once for the whole suite: what is tested is what is in the tree. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await buildPage();
  project.provide('page', folder);
  return () => rm(folder, { recursive: true, force: true });
}
