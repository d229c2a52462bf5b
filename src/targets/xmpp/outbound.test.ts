import fc from 'fast-check';
import { xml } from '@xmpp/client';
import { describe, expect, it } from 'vitest';
import { toXml } from './library.js';
import { planMessage, previewOf, stanzaIdOf, wireBytes, wordsStanza } from './outbound.js';
import { childOf, textOf } from './stanza.js';

const onWire = (text: string): number =>
  Buffer.byteLength(toXml({ xml }, wordsStanza({ to: 'ada@example.org', id: stanzaIdOf('k'), text })).toString());
/** The least that common servers take (ejabberd). */
const SERVER_LIMIT = 64 * 1024;

describe('what goes out', () => {
  it('is cut so that every stanza fits, escapes and all, and joins to the text', () => {
    const piece = fc.constantFrom('&', '<', '>', '"', 'a', ' ', '\n', 'é', '你', '👩🏽‍🚀');
    const text = fc.array(piece, { minLength: 1, maxLength: 40 }).map((pieces) => pieces.join('').repeat(1_500));
    fc.assert(
      fc.property(text, (words) => {
        const parts = planMessage({ text: words, files: [] });
        expect(parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')).toBe(words);
        for (const part of parts) if (part.kind === 'text') expect(onWire(part.text)).toBeLessThan(SERVER_LIMIT);
      }),
      { numRuns: 25 },
    );
  });

  it('counts a character as XML writes it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const size = Array.from(text).reduce((sum, char) => sum + wireBytes(char.codePointAt(0) ?? 0), 0);
        expect(onWire(`x${text}`) - onWire('x')).toBe(size);
      }),
    );
  });

  it('never holds what would end the stream', () => {
    const words = wordsStanza({ to: 'ada@example.org', id: 'x', text: 'a\u0000b\u001bc\ud800d\uffffe\t\n' });
    expect(textOf(childOf(words, 'body', ''))).toBe('a\ufffdb\ufffdc\ufffdd\ufffde\t\n');
  });

  it('goes out under one id per part, whatever the try', () => {
    expect(stanzaIdOf('message/0')).toBe(stanzaIdOf('message/0'));
    expect(stanzaIdOf('message/0')).not.toBe(stanzaIdOf('message/1'));
  });

  it('is kept by archives when it is final, and by nobody while it grows', () => {
    const names = (passing: boolean) =>
      wordsStanza({ to: 'a@b', id: 'x', text: 'y', passing }).children.map((child) =>
        typeof child === 'string' ? child : child.name,
      );
    expect(names(false)).toEqual(['body', 'active', 'request', 'origin-id', 'store']);
    expect(names(true)).toEqual(['body', 'composing', 'origin-id', 'no-store']);
  });

  it('shows of a long unfinished text what can be sent every two seconds', () => {
    expect(Buffer.byteLength(previewOf('x'.repeat(100_000)))).toBe(8 * 1024);
  });
});
