import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOST_FAILURE_CODES } from '../../../src/bridge/codes.js';
import { createWords } from './words.js';

const SRC = join(import.meta.dirname, '..', '..', '..', 'src');
const words = createWords('en');

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return /(?<!\.test|\.d)\.ts$/.test(entry.name) ? [readFileSync(path, 'utf8')] : [];
  });
}

function codesIn(texts: readonly string[], pattern: RegExp): string[] {
  const found = texts.flatMap((text) => Array.from(text.matchAll(pattern), ([, code]) => code ?? ''));
  return [...new Set(found)].sort();
}

/** The host's own map of messages: its parts are headed by comments, `code: 'words'` a line. */
const messages = readFileSync(join(SRC, 'connector', 'messages.ts'), 'utf8');
const partOf = (heading: string): string[] => {
  const from = messages.slice(messages.indexOf(`// ${heading}`));
  return codesIn([from.slice(0, from.search(/\n\n {2}\/\/|\n\};/))], /^ {2}(\w+):/gm);
};

describe('the codes of the host', () => {
  it('have words for every state of an account', () => {
    const codes = partOf('Why tools of an account are not available.');
    expect(codes.length).toBeGreaterThan(30);
    // No account has this state: it is said of a channel without one. The first of a start is said by `kind`.
    const notStates = ['not_signed_in', 'connecting'];
    expect(codes.filter((code) => !notStates.includes(code) && !words.knows('state', code))).toEqual([]);
  });

  it('have words for where a sign-in stands and for why it ended', () => {
    const codes = [...partOf('Where a sign-in stands.'), ...partOf('Why a sign-in ended without an account.')];
    expect(codes.length).toBeGreaterThan(30);
    expect(codes.filter((code) => !words.knows('signin', code))).toEqual([]);
  });

  it('have words for every refusal of a command, of the host as of the shell', () => {
    const host = ['host', 'desktop'].flatMap((room) => sources(join(SRC, room)));
    const codes = [
      ...codesIn(host, /new CommandError\(\s*'([a-z_]+)'/g),
      ...codesIn(sources(join(SRC, 'targets', 'local')), /new LocalChatError\(\s*'([a-z_]+)'/g),
      ...codesIn(sources(join(SRC, 'store')), /new (?:SecretStoreError\(\s*'\w+',\s*|StoreError\(\s*)'([a-z_]+)'/g),
      ...codesIn(sources(join(SRC, 'store', 'secrets')), /state: '\w+', code: '([a-z_]+)'/g),
    ];
    expect(codes.length).toBeGreaterThan(20);
    expect(codes.filter((code) => !words.knows('refusal', code))).toEqual([]);
  });

  it('have words for every reason why a host did not start', () => {
    expect(HOST_FAILURE_CODES.filter((code) => !words.knows('host.code', code))).toEqual([]);
  });
});
