// The configuration's schema, from the same definition that checks a config file at run time.
import { loadSource } from './load-source.mjs';

/** @returns {Promise<object>} the JSON Schema with defaults and descriptions, every key required */
export async function configSchema() {
  const { ConfigSchema } = await loadSource('src/host/config-schema.ts');
  return ConfigSchema;
}
