import { describe, expect, it } from 'vitest';
import { NS } from './namespaces.js';
import { negotiate, type Login, type Negotiable } from './negotiation.js';
import { el, textOf, type Stanza } from './stanza.js';

const mechanisms = (...names: string[]): Stanza =>
  el('mechanisms', { xmlns: NS.sasl }, ...names.map((name) => el('mechanism', { xmlns: NS.sasl }, name)));
const features = (...children: Stanza[]): Stanza => el('features', { xmlns: NS.streams }, ...children);
const startTls = el('starttls', { xmlns: NS.tls });
const required = el('starttls', { xmlns: NS.tls }, el('required', { xmlns: NS.tls }));
const login = (mayBePlain: boolean): Login => ({
  account: { local: 'agent', domain: 'example.org' },
  password: 'secret',
  resource: 'r',
  endpoint: { uri: 'xmpp://example.org', mayBePlain },
});

/** A server by script: the features it announces in turn, and its answers to what is exchanged. */
class Script implements Negotiable {
  secure = false;
  readonly log: string[] = [];
  readonly #announced: Stanza[];
  readonly #answers: Stanza[];

  constructor(announced: Stanza[], answers: Stanza[] = [el('success', { xmlns: NS.sasl })]) {
    this.#announced = announced;
    this.#answers = answers;
  }

  async features(): Promise<Stanza> {
    return this.#announced.shift() ?? features();
  }

  async exchange(element: Stanza): Promise<Stanza> {
    const name = element.attrs['mechanism'] ?? element.name;
    this.log.push(`${name} ${Buffer.from(textOf(element), 'base64').toString()}`);
    return this.#answers.shift() ?? el('failure', { xmlns: NS.sasl }, el('not-authorized', { xmlns: NS.sasl }));
  }

  async startTls(): Promise<void> {
    this.secure = true;
    this.log.push('tls');
  }

  async restart(): Promise<void> {
    this.log.push('restart');
  }

  async set(): Promise<Stanza> {
    const jid = el('jid', { xmlns: NS.bind }, 'agent@example.org/r');
    return el('iq', {}, el('bind', { xmlns: NS.bind }, jid));
  }
}

describe('coming onto a stream', () => {
  it('takes TLS before anything is said of the account', async () => {
    const line = new Script([features(startTls, mechanisms('PLAIN')), features(mechanisms('PLAIN'))]);
    expect((await negotiate(line, login(false))).jid).toBe('agent@example.org/r');
    expect(line.log).toEqual(['tls', 'restart', 'PLAIN \0agent\0secret', 'restart']);
  });

  it('says nothing to a server, or to somebody between, that offers no TLS', async () => {
    const line = new Script([features(mechanisms('PLAIN', 'SCRAM-SHA-256'))]);
    await expect(negotiate(line, login(false))).rejects.toMatchObject({ code: 'tls_required' });
    expect(line.log).toEqual([]);
  });

  it('leaves a stream to this machine plain, unless its server wants TLS', async () => {
    const plain = new Script([features(startTls, mechanisms('PLAIN'))]);
    await negotiate(plain, login(true));
    expect(plain.log[0]).toBe('PLAIN \0agent\0secret');
    const wanting = new Script([features(required), features(mechanisms('PLAIN'))]);
    await negotiate(wanting, login(true));
    expect(wanting.log[0]).toBe('tls');
  });

  it('tells a wrong password from a server that can not say', async () => {
    const failure = (condition: string): Stanza => el('failure', { xmlns: NS.sasl }, el(condition, { xmlns: NS.sasl }));
    const outcome = (condition: string) =>
      negotiate(new Script([features(mechanisms('PLAIN'))], [failure(condition)]), login(true));
    await expect(outcome('not-authorized')).rejects.toMatchObject({ code: 'credentials_refused', account: 'revoked' });
    await expect(outcome('account-disabled')).rejects.toMatchObject({ code: 'credentials_refused' });
    await expect(outcome('temporary-auth-failure')).rejects.toMatchObject({ name: 'TransportError', effect: 'none' });
  });

  it('does not take a success without the proof that SCRAM owes', async () => {
    const line = new Script([features(mechanisms('SCRAM-SHA-256'))]);
    await expect(negotiate(line, login(true))).rejects.toMatchObject({ code: 'credentials_refused' });
  });

  it('knows when there is no way in', async () => {
    const line = new Script([features(mechanisms('EXTERNAL'))]);
    await expect(negotiate(line, login(true))).rejects.toMatchObject({ code: 'mechanism_unsupported' });
  });
});
