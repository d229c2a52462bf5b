import { parseJson } from '../base/parse-json.js';
import type { SecretRegistry } from './secret-registry.js';

/** What stands in a log line where a secret would have been. */
export const MASK = '[redacted]';

/** A key that ends like one of these names a secret, however it is spelled (`bot_token`, `Set-Cookie`, `apiKey`). */
const SECRET_KEY =
  /(authorization|cookies?|tokens?|apikey|password|passwd|passphrase|secrets?|credentials?|verifycode|qrcodetext|qrcodeimage|privatekey|aeskey)$/;

/** What looks like a secret whatever it is called. */
const SECRET_VALUES: readonly (readonly [RegExp, string])[] = [
  // A Telegram bot token, alone or inside a URL path (field report B14).
  [/\d{5,}:[A-Za-z0-9_-]{30,}/g, MASK],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]+/gi, `$1 ${MASK}`],
  [/\/\/[^/\s@"]*:[^/\s@"]*@/g, `//${MASK}@`],
  [/([?&](?:access_token|token|api_?key|key|secret|password|code|ticket|signature)=)[^&\s"#]+/gi, `$1${MASK}`],
];

/** Deeper structures than this are not logged by anyone on purpose; what lies below is dropped. */
const MAX_DEPTH = 12;

/** Takes the secrets out of one log line, whoever wrote it and however they spelled it. */
export class Redactor {
  constructor(private readonly secrets: SecretRegistry) {}

  /** @param line one JSON object as the logger serialised it; anything else is masked as text */
  line(line: string): string {
    const value = parseJson(line);
    return value === undefined ? this.text(line) : `${JSON.stringify(this.value(value))}\n`;
  }

  /** A plain text without secrets. */
  text(text: string): string {
    let masked = this.secrets.mask(text, MASK);
    for (const [pattern, replacement] of SECRET_VALUES) masked = masked.replace(pattern, replacement);
    return masked;
  }

  /** A JSON value without secrets: by key name, by pattern, and by the values that are known. */
  value(value: unknown, depth = 0): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= MAX_DEPTH) return MASK;
    if (Array.isArray(value)) return value.map((item) => this.value(item, depth + 1));
    const clean: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(value)) {
      clean[this.text(key)] = namesSecret(key) && isContent(item) ? MASK : this.value(item, depth + 1);
    }
    return clean;
  }
}

function namesSecret(key: string): boolean {
  return SECRET_KEY.test(key.toLowerCase().replace(/[^a-z]/g, ''));
}

/** Numbers and booleans under such a name (how many tokens, whether there is one) say nothing secret. */
function isContent(value: unknown): boolean {
  return typeof value === 'string' || (typeof value === 'object' && value !== null);
}
