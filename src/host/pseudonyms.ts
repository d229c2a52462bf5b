import type { Finding, Snapshot } from '../bridge/index.js';

/** `somebody@somewhere`: people's addresses, whoever wrote them into a line. */
const ADDRESS = /[^\s"'<>@,;:/]+@[^\s"'<>@,;:/]+/g;
const ADDRESS_MASK = '[address]';
/** A shorter name of Latin letters is a part of too many words to be replaced wherever it stands. */
const MIN_LATIN_CHARACTERS = 4;
const MIN_CHARACTERS = 2;
const BEYOND_ASCII = /[^\p{ASCII}]/u;

/** Other names for accounts and people, the same one for the same name everywhere: `account-1`, `name-2`. */
export class Pseudonyms {
  readonly #names = new Map<string, string>();

  /** @param known kinds and names; undefined and empty ones are passed over */
  constructor(known: readonly (readonly [kind: string, name: string | undefined])[]) {
    const counts = new Map<string, number>();
    for (const [kind, name] of known) {
      if (name === undefined || name === '' || this.#names.has(name)) continue;
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      this.#names.set(name, `${kind}-${count}`);
    }
  }

  /** A text in which no known name and no address is left. */
  in(text: string): string {
    let replaced = text;
    // The longest first: a name may hold another one.
    for (const [name, other] of [...this.#names].sort(([a], [b]) => b.length - a.length)) {
      if (isTelling(name)) replaced = replaced.replaceAll(name, other);
    }
    return replaced.replace(ADDRESS, ADDRESS_MASK);
  }

  /** A snapshot under the other names, the shortest included. */
  snapshot(snapshot: Snapshot): Snapshot {
    return {
      ...snapshot,
      connectors: snapshot.connectors.map((connector) => ({
        ...connector,
        accounts: connector.accounts.map((account) => ({
          ...account,
          displayName: this.#names.get(account.displayName) ?? '',
          accountHint: this.#names.get(account.accountHint) ?? '',
        })),
      })),
    };
  }

  /** Findings under the other names: those about an account are called by it. */
  findings(findings: readonly Finding[], { connectors }: Snapshot): Finding[] {
    const checks = new Map(
      connectors.flatMap(({ name, accounts }) =>
        accounts.map(({ displayName }) => [`${name} ${displayName}`, `${name} ${this.#names.get(displayName) ?? ''}`]),
      ),
    );
    return findings.map((finding) => ({ ...finding, check: checks.get(finding.check) ?? finding.check }));
  }
}

function isTelling(name: string): boolean {
  return name.length >= (BEYOND_ASCII.test(name) ? MIN_CHARACTERS : MIN_LATIN_CHARACTERS);
}
