import { parseJson } from '../base/parse-json.js';
import type { SecretStore } from '../store/secrets/secret-store.js';

/** Shorter values are words like any other: masking them would hide the log instead of the secret. */
const MIN_LENGTH = 4;
/** Most secrets known at once; the oldest is dropped first. Far above what accounts on one machine come to. */
const MAX_SECRETS = 1000;

/** A value this long is looked for wherever it stands, in parts of a text and of numbers too. */
const MIN_UNMISTAKABLE = 8;

/** Secret values that this process has seen, so that the log's sink can mask them wherever they turn up. */
export class SecretRegistry {
  /** Every form of every value: as it is, in a URL, in JSON. */
  readonly #values = new Set<string>();
  readonly #plain = new Set<string>();
  #pattern: RegExp | undefined;

  /** Registers a value, and each text inside it when it is JSON (a set of credentials). */
  add(value: string): void {
    for (const text of [value, ...leaves(value)]) this.#addOne(text);
  }

  /** The text with every registered value replaced. */
  mask(text: string, mask: string): string {
    this.#pattern ??= this.#compile();
    return this.#values.size === 0 ? text : text.replace(this.#pattern, mask);
  }

  /** Values known, each counted once. */
  get size(): number {
    return this.#plain.size;
  }

  /**
   * Whether a JSON value still holds a registered one, plain, as it stands in a URL or in JSON, or in base64. A short value is
   * looked for as a whole word only: some digits of a time are no PIN.
   */
  isIn(value: unknown): boolean {
    const all = [...texts(value), ...keys(value)].join('\n');
    return [...this.#values, ...[...this.#plain].map(base64)].some((form) =>
      form.length >= MIN_UNMISTAKABLE ? all.includes(form) : hasWord(all, form),
    );
  }

  #addOne(value: string): void {
    if (value.length < MIN_LENGTH) return;
    this.#plain.add(value);
    for (const form of new Set([value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)])) {
      if (this.#values.has(form)) continue;
      this.#values.add(form);
      this.#pattern = undefined;
    }
    for (const oldest of this.#values) {
      if (this.#values.size <= MAX_SECRETS) break;
      this.#values.delete(oldest);
      this.#plain.delete(oldest);
    }
  }

  #compile(): RegExp {
    // Longest first, so that a secret that contains another is masked whole.
    const longestFirst = [...this.#values].sort((a, b) => b.length - a.length);
    return new RegExp(longestFirst.map(escapeRegExp).join('|') || '(?!)', 'g');
  }
}

/** A secret store whose every value is known to the log's sink before anyone can log it. */
export function registeringSecretStore(store: SecretStore, registry: SecretRegistry): SecretStore {
  return {
    kind: store.kind,
    probe: () => store.probe(),
    async get(name) {
      const value = await store.get(name);
      if (value !== undefined) registry.add(value);
      return value;
    },
    set(name, value) {
      registry.add(value);
      return store.set(name, value);
    },
    delete: (name) => store.delete(name),
    close: () => store.close(),
  };
}

function leaves(value: string): string[] {
  if (!value.startsWith('{') && !value.startsWith('[')) return [];
  return texts(parseJson(value));
}

function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : [];
}

function keys(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return [...(Array.isArray(value) ? [] : Object.keys(value)), ...Object.values(value).flatMap(keys)];
}

function base64(value: string): string {
  // Without the padding, and without the last character, which depends on what follows.
  return Buffer.from(value, 'utf8').toString('base64').replace(/=+$/, '').slice(0, -1);
}

function hasWord(text: string, word: string): boolean {
  return new RegExp(`(?<![\\p{L}\\p{N}])${escapeRegExp(word)}(?![\\p{L}\\p{N}])`, 'u').test(text);
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
