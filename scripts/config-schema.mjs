// The configuration's schema, from the same definition that checks a config file at run time.
import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';

/** @returns {Promise<object>} the JSON Schema with defaults and descriptions, every key required */
export async function configSchema() {
  const result = await build({
    entryPoints: [fileURLToPath(new URL('../src/host/config-schema.ts', import.meta.url))],
    bundle: true,
    platform: 'node',
    format: 'esm',
    write: false,
  });
  const code = Buffer.from(result.outputFiles[0].contents).toString('base64');
  const { ConfigSchema } = await import(`data:text/javascript;base64,${code}`);
  return ConfigSchema;
}
