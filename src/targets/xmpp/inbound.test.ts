import { describe, expect, it } from 'vitest';
import { readMessage, type Origin, type Verdict } from './inbound.js';
import { NS } from './namespaces.js';
import { el, type Stanza } from './stanza.js';

const OWN = 'agent@example.org';
const PEER = 'ada@example.org';
const body = (text: string): Stanza => el('body', {}, text);
const link = (url: string): Stanza => el('x', { xmlns: NS.oob }, el('url', { xmlns: NS.oob }, url));
const chat = (attrs: Record<string, string>, ...children: Stanza[]): Stanza =>
  el('message', { from: `${PEER}/phone`, type: 'chat', id: 'an-id-of-chance', ...attrs }, ...children);
const read = (message: Stanza, origin: Origin = {}): Verdict =>
  readMessage(message, { own: OWN, peer: PEER }, origin, 'spare');
const messageOf = (verdict: Verdict) => (verdict.kind === 'message' ? verdict.message : undefined);

describe('what a message is', () => {
  it("is the person's own words, byte for byte", () => {
    const words = ' 你好 👨‍👩‍👧\r\n<b> & "x"\t';
    expect(messageOf(read(chat({}, body(words))))).toMatchObject({
      text: words,
      sender: { id: PEER },
      conversation: { id: PEER, type: 'p2p' },
      attachments: [],
    });
  });

  it.each([
    ['a stranger', chat({ from: 'mallory@example.org/x' }, body('hi')), 'sender_not_allowed'],
    ['a group', chat({ type: 'groupchat' }, body('hi')), 'not_a_chat'],
    ['a headline', chat({ type: 'headline' }, body('hi')), 'not_a_chat'],
    ['encrypted words', chat({}, body('[OMEMO]'), el('encrypted', { xmlns: NS.omemo })), 'encrypted'],
    ['encrypted words of newer clients', chat({}, el('encrypted', { xmlns: NS.omemo2 })), 'encrypted'],
    ['words under OpenPGP', chat({}, el('openpgp', { xmlns: NS.openpgp })), 'encrypted'],
    ['words under PGP as it was', chat({}, body('[PGP]'), el('x', { xmlns: NS.legacyPgp })), 'encrypted'],
    ['hinted encryption', chat({}, body('-'), el('encryption', { xmlns: NS.encryption, namespace: 'x' })), 'encrypted'],
  ])('is counted and left: %s', (_, message, reason) => {
    expect(read(message)).toEqual({ kind: 'ignored', reason });
  });

  it.each([
    ['an echo of our own', chat({ from: `${OWN}/other` }, body('hi'))],
    ['a copy (carbon) that somebody forged', chat({}, body('hi'), el('received', { xmlns: NS.carbons }))],
    ['a state of typing', chat({}, el('composing', { xmlns: NS.chatStates }))],
    ['a receipt', chat({}, el('received', { xmlns: NS.receipts, id: 'x' }))],
    ['an empty body', chat({}, body(''))],
  ])('is nothing: %s', (_, message) => {
    expect(read(message)).toEqual({ kind: 'nothing' });
  });

  it('is what the person wrote, though they ask for no copies of it (XEP-0280 section 8)', () => {
    expect(messageOf(read(chat({}, body('hi'), el('private', { xmlns: NS.carbons }))))?.text).toBe('hi');
  });

  it('is a new message when it corrects an earlier one', () => {
    const correction = chat(
      { id: 'another-chance' },
      body('hello'),
      el('replace', { xmlns: NS.correct, id: 'an-id-of-chance' }),
    );
    expect(messageOf(read(correction))?.text).toBe('hello');
    expect(messageOf(read(correction))?.id).not.toBe(messageOf(read(chat({}, body('helo'))))?.id);
  });

  it('is a file where the words are but its link', () => {
    const url = 'https://upload.example.org/a/Holiday%20%F0%9F%8C%B4.JPG';
    const message = messageOf(read(chat({}, body(url), link(url))));
    expect(message?.text).toBe('');
    expect(message?.attachments).toEqual([
      { fileType: 'image', filename: 'Holiday 🌴.JPG', mimeType: 'image/jpeg', locator: { url } },
    ]);
  });

  it('is words and a file where the words are more', () => {
    const message = messageOf(read(chat({}, body('look'), link('https://example.org/x.zip'))));
    expect(message?.text).toBe('look');
    expect(message?.attachments).toHaveLength(1);
  });

  it('keeps a link of another kind as the words it is', () => {
    const url = 'aesgcm://upload.example.org/x#key';
    expect(messageOf(read(chat({}, body(url), link(url))))).toMatchObject({ text: url, attachments: [] });
  });

  it('asks for a receipt by its own id', () => {
    const verdict = read(chat({}, body('hi'), el('request', { xmlns: NS.receipts })));
    expect(verdict).toMatchObject({ kind: 'message', receiptFor: 'an-id-of-chance' });
  });

  it('carries the time at which it was really sent', () => {
    const delay = el('delay', { xmlns: NS.delay, stamp: '2026-01-15T12:00:00Z' });
    expect(messageOf(read(chat({}, body('hi'), delay)))?.sentAt).toBe(Date.UTC(2026, 0, 15, 12));
    expect(messageOf(read(chat({}, body('hi')), { archiveId: 'a', stamp: 5 }))?.sentAt).toBe(5);
    expect(messageOf(read(chat({}, body('hi'))))).not.toHaveProperty('sentAt');
  });
});

describe('what a message is called', () => {
  const names = (verdict: Verdict): string[] => {
    const message = messageOf(verdict);
    return message ? [message.id, ...(message.dedupKeys ?? [])] : [];
  };
  const stanzaId = (by: string, id: string): Stanza => el('stanza-id', { xmlns: NS.stanzaIds, by, id });

  it('is the same live and from the archive', () => {
    const live = read(chat({}, body('hi'), stanzaId(OWN, 'arch-1')));
    const archived = read(chat({}, body('hi')), { archiveId: 'arch-1', stamp: 1 });
    expect(names(live)).toEqual(names(archived));
    expect(names(live)[0]).toBe('archive:arch-1');
  });

  it('is known again without the archive id, by its own', () => {
    const offline = names(read(chat({}, body('hi'))));
    const archived = names(read(chat({}, body('hi')), { archiveId: 'arch-1' }));
    expect(archived).toContain(offline[0]);
  });

  it('is not what the sender claims in the name of our archive', () => {
    const forged = read(chat({}, body('hi'), stanzaId(PEER, 'arch-1')));
    expect(names(forged)).not.toContain('archive:arch-1');
  });

  it('differs for two messages of a client that begins to count anew each day', () => {
    const first = names(read(chat({ id: '1' }, body('hi')), { archiveId: 'a' }));
    const second = names(read(chat({ id: '1' }, body('hi')), { archiveId: 'b' }));
    expect(first.filter((name) => second.includes(name))).toEqual([]);
  });

  it('exists for a message without any id', () => {
    expect(
      names(readMessage(el('message', { from: PEER }, body('hi')), { own: OWN, peer: PEER }, {}, 'spare')),
    ).toEqual(['spare:spare']);
  });
});
