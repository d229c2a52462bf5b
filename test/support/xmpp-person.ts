import { Socket } from 'node:net';
import { client, xml, type Entity, type XmlElement } from '@xmpp/client';
import { Journal, within } from './deadline.js';

/** One message as the person's client has it: corrections applied in place. */
export interface SeenMessage {
  readonly id: string;
  text: string;
  link: string | undefined;
}

/** The child elements of a library element. */
function kids(element: XmlElement | undefined): XmlElement[] {
  return (element?.children ?? []).filter((child) => typeof child !== 'string');
}

function kid(element: XmlElement | undefined, name: string, ns?: string): XmlElement | undefined {
  return kids(element).find((child) => child.is(name, ns));
}

function text(element: XmlElement | undefined): string {
  return (element?.children ?? []).filter((child) => typeof child === 'string').join('');
}

/** The person at their XMPP client: knows corrections, asks for receipts, shows typing. */
export class XmppPerson {
  readonly received = new Journal<XmlElement>();
  readonly seen: SeenMessage[] = [];
  readonly receipts = new Journal<string>();
  readonly states = new Journal<string>();
  readonly #entity: Entity;
  readonly #to: string;
  #ids = 0;

  private constructor(entity: Entity, to: string) {
    this.#entity = entity;
    this.#to = to;
    entity.on('error', () => undefined);
    // Its stream management is what this project has its own of; here it would only get in the way.
    entity.prependListener('element', (element: XmlElement) => {
      if (element.is('features')) element.children = kids(element).filter(({ name }) => name !== 'sm');
    });
    // Characters that two chunks share stay whole.
    entity.on('connect', () => {
      if (entity.socket instanceof Socket) entity.socket.setEncoding('utf8');
    });
    entity.on('stanza', (stanza: XmlElement) => this.#take(stanza));
    entity.iqCallee.get('http://jabber.org/protocol/disco#info', 'query', () =>
      xml(
        'query',
        { xmlns: 'http://jabber.org/protocol/disco#info' },
        xml('identity', { category: 'client', type: 'pc', name: 'person' }),
        xml('feature', { var: 'urn:xmpp:message-correct:0' }),
      ),
    );
  }

  /** @param port c2s, plain on loopback; @param to whom they talk to */
  static async login(port: number, jid: string, password: string, to: string): Promise<XmppPerson> {
    const [username = '', domain = ''] = jid.split('@');
    const service = `xmpp://127.0.0.1:${String(port)}`;
    const entity = client({ service, domain, username, password, timeout: 20_000 });
    entity.reconnect.stop();
    const person = new XmppPerson(entity, to);
    const online = new Promise<void>((resolve, reject) => {
      entity.once('online', () => resolve());
      entity.once('error', reject);
    });
    online.catch(() => undefined);
    await entity.connect(service);
    await entity.open({ domain });
    await within(online, 'the person to sign in');
    await entity.send(xml('presence', {}));
    return person;
  }

  /** Words to the agent; gives the id. */
  async says(words: string, ...extra: XmlElement[]): Promise<string> {
    this.#ids += 1;
    const id = `person-${Date.now().toString(36)}-${String(this.#ids)}`;
    const receipt = xml('request', { xmlns: 'urn:xmpp:receipts' });
    await this.#entity.send(
      xml('message', { to: this.#to, type: 'chat', id }, xml('body', {}, words), receipt, ...extra),
    );
    return id;
  }

  async corrects(id: string, words: string): Promise<string> {
    return this.says(words, xml('replace', { xmlns: 'urn:xmpp:message-correct:0', id }));
  }

  async sendsLink(url: string): Promise<string> {
    return this.says(url, xml('x', { xmlns: 'jabber:x:oob' }, xml('url', {}, url)));
  }

  async types(state: 'composing' | 'paused'): Promise<void> {
    await this.send(
      xml('message', { to: this.#to, type: 'chat' }, xml(state, { xmlns: 'http://jabber.org/protocol/chatstates' })),
    );
  }

  async send(stanza: XmlElement): Promise<void> {
    await this.#entity.send(stanza);
  }

  async ask(stanza: XmlElement): Promise<XmlElement> {
    return this.#entity.iqCaller.request(stanza);
  }

  /** How many times they said something. */
  get sent(): number {
    return this.#ids;
  }

  get texts(): string[] {
    return this.seen.map((message) => message.text);
  }

  async leave(): Promise<void> {
    await this.#entity.stop().catch(() => undefined);
  }

  #take(stanza: XmlElement): void {
    if (stanza.name !== 'message') return;
    this.received.push(stanza);
    const receipt = kid(stanza, 'received', 'urn:xmpp:receipts');
    if (receipt) this.receipts.push(String(receipt.attrs['id']));
    const state = kids(stanza).find((child) => child.getNS() === 'http://jabber.org/protocol/chatstates');
    if (state) this.states.push(state.name);
    const body = kid(stanza, 'body');
    if (!body) return;
    const link = text(kid(kid(stanza, 'x', 'jabber:x:oob'), 'url')) || undefined;
    const replaced = kid(stanza, 'replace', 'urn:xmpp:message-correct:0')?.attrs['id'];
    const before = this.seen.find(({ id }) => id === replaced);
    if (before) Object.assign(before, { text: text(body), link });
    else this.seen.push({ id: String(stanza.attrs['id']), text: text(body), link });
  }
}

export { xml };
