import { describe, expect, it } from 'vitest';
import { bareOf, parseJid, redactedJid } from './addresses.js';

describe('addresses', () => {
  it.each([
    [' Ada@Example.ORG/phone ', 'ada@example.org'],
    ['xmpp:ada@example.org', 'ada@example.org'],
    ['ada@example.org.', 'ada@example.org'],
    ['jörg@bücher.example', 'jörg@bücher.example'],
  ])('reads %j', (text, bare) => {
    const jid = parseJid(text);
    expect(jid && bareOf(jid)).toBe(bare);
  });

  it.each([
    '',
    'example.org',
    '@example.org',
    'ada@',
    'a b@example.org',
    'ada@exa mple.org',
    'a@b@c',
    `${'x'.repeat(1_100)}@y`,
  ])('reads nobody in %j', (text) => expect(parseJid(text)).toBeUndefined());

  it('shows enough to be recognised, not more', () => {
    expect(redactedJid({ local: 'ada', domain: 'example.org' })).toBe('a•••@example.org');
  });
});
