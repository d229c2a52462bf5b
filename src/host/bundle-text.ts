import type { BundleFacts } from '../bridge/index.js';

/** What a saved diagnostics bundle is called, unless the person says otherwise. */
export const BUNDLE_FILENAME = 'xagent-connector-diagnostics.txt';

/** A bundle as one text that every mail program shows: each part under its name. */
export function bundleText({ entries }: BundleFacts): string {
  return entries.map(({ name, content }) => `===== ${name}\n${content}\n`).join('\n');
}
