import type { SecretStore } from '../store/secrets/secret-store.js';

/** Shorter values are words like any other: masking them would hide the log instead of the secret. */
const MIN_LENGTH = 4;
/** Most secrets known at once; the oldest is dropped first. Far above what accounts on one machine come to. */
const MAX_SECRETS = 1000;

/** Secret values that this process has seen, so that the log's sink can mask them wherever they turn up. */
export class SecretRegistry {
  readonly #values = new Set<string>();
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

  #addOne(value: string): void {
    if (value.length < MIN_LENGTH) return;
    for (const form of new Set([value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)])) {
      if (this.#values.has(form)) continue;
      this.#values.add(form);
      this.#pattern = undefined;
    }
    for (const oldest of this.#values) {
      if (this.#values.size <= MAX_SECRETS) break;
      this.#values.delete(oldest);
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
  try {
    return texts(JSON.parse(value));
  } catch {
    return [];
  }
}

function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : [];
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
