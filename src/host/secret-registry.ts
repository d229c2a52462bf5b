import { parseJson } from '../base/parse-json.js';
import type { SecretStore } from '../store/secrets/secret-store.js';

/** Shorter values are words like any other: masking them would hide the log instead of the secret. */
const MIN_LENGTH = 4;
/**
 * Most forms of secrets known of one kind; the one that was not seen for longest is dropped first. Far above what accounts on one
 * machine come to.
 */
const MAX_FORMS = 1000;

/** A value this long is looked for wherever it stands, in parts of a text and of numbers too. */
const MIN_UNMISTAKABLE = 8;

/**
 * Secret values that this process has seen, so that the log's sink can mask them wherever they turn up: the program's own, and what
 * was typed for sign-ins. Each has its own room, because any agent can begin a thousand sign-ins, and none of them may cost the
 * mask of the API key.
 */
export class SecretRegistry {
  readonly #own = new Forms();
  readonly #typed = new Forms();
  #pattern: RegExp | undefined;

  /** Registers a secret of the program, and each text inside it when it is JSON (a set of credentials). */
  add(value: string): void {
    for (const text of [value, ...leaves(value)]) this.#register(this.#own, text);
  }

  /** Registers what somebody gave for a sign-in, whatever becomes of that. */
  addTyped(value: string): void {
    this.#register(this.#typed, value);
  }

  /** The text with every registered value replaced. */
  mask(text: string, mask: string): string {
    this.#pattern ??= compile([...this.#own.values, ...this.#typed.values]);
    return text.replace(this.#pattern, mask);
  }

  /** Values known, each counted once. */
  get size(): number {
    return new Set([...this.#own.plain, ...this.#typed.plain]).size;
  }

  /**
   * Whether a JSON value still holds a registered one, plain, as it stands in a URL or in JSON, or in base64. A short value is
   * looked for as a whole word only: some digits of a time are no PIN.
   */
  isIn(value: unknown): boolean {
    const all = [...texts(value), ...keys(value)].join('\n');
    return [this.#own, this.#typed]
      .flatMap(({ values, plain }) => [...values, ...[...plain].map(base64)])
      .some((form) => (form.length >= MIN_UNMISTAKABLE ? all.includes(form) : hasWord(all, form)));
  }

  #register(forms: Forms, value: string): void {
    if (value.length >= MIN_LENGTH && forms.add(value)) this.#pattern = undefined;
  }
}

/** Secrets in every form in which they may turn up. */
class Forms {
  /** Every form of every value: as it is, in a URL, in JSON. */
  readonly values = new Set<string>();
  readonly plain = new Set<string>();

  /** @returns whether there is something new to look for */
  add(value: string): boolean {
    const isNew = !this.plain.has(value);
    this.plain.add(value);
    for (const form of new Set([value, inUrl(value), JSON.stringify(value).slice(1, -1)])) {
      // Set anew, it is the last again.
      this.values.delete(form);
      this.values.add(form);
    }
    for (const oldest of this.values) {
      if (this.values.size <= MAX_FORMS) break;
      this.values.delete(oldest);
      this.plain.delete(oldest);
    }
    return isNew;
  }
}

function inUrl(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    // Half a character stands in no URL.
    return value;
  }
}

function compile(forms: readonly string[]): RegExp {
  // Longest first, so that a secret that contains another is masked whole.
  const longestFirst = [...new Set(forms)].sort((a, b) => b.length - a.length);
  return new RegExp(longestFirst.map(escapeRegExp).join('|') || '(?!)', 'g');
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
