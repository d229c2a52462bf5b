import { configSchema } from '../config-schema.mjs';

/** The tables of docs/configuration.md, one for each section of the configuration. */
export async function configTables() {
  const { properties } = await configSchema();
  return Object.fromEntries(Object.entries(properties).map(([section, schema]) => [section, table(section, schema)]));
}

function table(section, schema) {
  const rows = keys(section, schema).map(({ path, key }) => {
    const cells = [`\`${path}\``, `\`${JSON.stringify(key.default)}\``, unitOf(path), valuesOf(key) + key.description];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return ['| key | default | unit | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function keys(path, schema) {
  if (schema.properties === undefined) return [{ path, key: schema }];
  return Object.entries(schema.properties).flatMap(([name, inner]) => keys(`${path}.${name}`, inner));
}

/** Names tell the unit: a key that ends in `Ms` is milliseconds, in `Bytes` bytes, in `PerChannel` a count. */
function unitOf(path) {
  if (path.endsWith('Ms')) return 'ms';
  if (/Bytes(PerMessage)?$/.test(path)) return 'bytes';
  return path.endsWith('PerChannel') ? 'count' : '';
}

function valuesOf({ enum: values }) {
  return values === undefined ? '' : `${values.map((value) => `\`${value}\``).join(' or ')}. `;
}
