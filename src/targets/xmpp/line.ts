import type { Entity, XmlElement } from '@xmpp/client';
import { isCertificateError } from '../../base/certificate-error.js';
import type { Clock } from '../../base/clock.js';
import { TargetRefusal, TransportError } from '../../base/errors.js';
import type { WayOut } from '../../base/proxy/way-out.js';
import { deadlineSignal } from '../../base/deadline.js';
import { StreamAcks } from './acks.js';
import { bareOf, toBare } from './addresses.js';
import { answerTo } from './answers.js';
import { lineLost, lineRefused, StanzaRefused, streamError } from './errors.js';
import {
  createEntity,
  destroySocket,
  fromXml,
  newTlsSocket,
  tlsParameters,
  toXml,
  useTunnel,
  type XmppLibrary,
} from './library.js';
import { NS } from './namespaces.js';
import { negotiate, type Login, type Negotiable } from './negotiation.js';
import { ANSWER_DEADLINE_MS, Requests, type Question } from './requests.js';
import { childOf, el, type Stanza } from './stanza.js';

/** From the first packet to a bound resource; milliseconds. */
const CONNECT_DEADLINE_MS = 45_000;
/** How long a server may take over its goodbye, in real time; milliseconds. */
const GOODBYE_MS = 1_000;

export interface LineOptions extends Login {
  readonly library: XmppLibrary;
  readonly clock: Clock;
  readonly wayOut: WayOut;
  /** A message came. `done` says that it is dealt with; until then the server counts it as not delivered. */
  readonly onMessage: (message: Stanza, done: () => void) => void;
  readonly onPresence: (presence: Stanza) => void;
}

/**
 * One signed-in stream to the account's server (RFC 6120). It never comes back by itself: once it is {@link over},
 * everything that waited on it has failed.
 */
export class Line implements Negotiable {
  readonly #options: LineOptions;
  readonly #entity: Entity;
  readonly #acks = new StreamAcks();
  readonly #requests: Requests;
  /** Elements that are no stanzas, for the negotiation. */
  readonly #elements: Stanza[] = [];
  #wake: () => void = () => undefined;
  readonly #cuts = new Set<(reason: Error) => void>();
  #proofs: (() => void)[] = [];
  #failure: Error | undefined;
  #answered = 0;
  #jid = '';

  private constructor(options: LineOptions) {
    const { account, endpoint, library, clock, wayOut } = options;
    this.#options = options;
    const onUnreadable = (): void =>
      this.fail(lineLost('connection_lost', 'The server sent no readable XML', 'unknown'));
    this.#entity = createEntity(library, { uri: endpoint.uri, domain: account.domain, wayOut, onUnreadable });
    this.#requests = new Requests(
      clock,
      (stanza) => this.send(stanza),
      (from) => from === undefined || from === account.domain || toBare(from) === bareOf(account),
    );
    this.#entity.on('element', (element: XmlElement) => this.#take(element));
    this.#entity.on('error', (error: unknown) => this.fail(this.#reasonOf(error)));
    this.#entity.on('disconnect', () => this.fail(lineLost('connection_lost', 'The connection broke', 'unknown')));
  }

  /**
   * Connects, secures, signs in and binds.
   * @throws TargetRefusal, TransportError as {@link negotiate}; `unreachable`, `proxy_…`, `timeout`, `aborted`
   */
  static async open(options: LineOptions, signal: AbortSignal): Promise<Line> {
    const line = new Line(options);
    const bounded = deadlineSignal(options.clock, CONNECT_DEADLINE_MS, signal);
    const onAbort = (): void =>
      line.fail(
        bounded.expired
          ? lineLost('timeout', 'The server did not let us in in time', 'none')
          : lineLost('aborted', 'The connection was abandoned', 'none'),
      );
    if (bounded.signal.aborted) onAbort();
    else bounded.signal.addEventListener('abort', onAbort, { once: true });
    try {
      await line.#orLost(line.#start());
      return line;
    } catch (error) {
      line.fail(line.#reasonOf(error));
      throw line.#failure ?? error;
    } finally {
      bounded.done();
    }
  }

  get over(): boolean {
    return this.#failure !== undefined;
  }

  /** Calls `fn` when the line is over, at once if it is already; the function given back takes it back. */
  onLost(fn: (reason: Error) => void): () => void {
    if (this.#failure) fn(this.#failure);
    else this.#cuts.add(fn);
    return () => void this.#cuts.delete(fn);
  }

  /** Our full address on this line. */
  get jid(): string {
    return this.#jid;
  }

  /**
   * Hands a stanza to the connection.
   * @throws TransportError with effect `none` when the line was over before, `unknown` when it broke meanwhile
   */
  async send(stanza: Stanza): Promise<void> {
    if (this.#failure) throw lineLost('connection_lost', 'There is no line to the server', 'none');
    this.#acks.noteSent();
    await this.#write(stanza);
  }

  /** Asks the server, or somebody else, and waits for the answer. @throws StanzaRefused, TransportError */
  ask(question: Question): Promise<Stanza> {
    return this.#orLost(this.#requests.ask(question));
  }

  /**
   * Resolves when the server has dealt with everything sent before: it acknowledged it (XEP-0198), or answered a ping that went
   * behind it on the same ordered stream (XEP-0199).
   * @throws TransportError; the line is over then
   */
  settled(): Promise<void> {
    return this.#orOver(this.#acks.active ? this.#acknowledged() : this.#ping());
  }

  /** One round trip through the server's own logic. @throws TransportError; the line is over then */
  ping(): Promise<void> {
    return this.#orOver(this.#ping());
  }

  /** A line on which a proof did not come is taken for dead. */
  async #orOver(proof: Promise<void>): Promise<void> {
    try {
      await proof;
    } catch (error) {
      this.fail(this.#reasonOf(error));
      throw error;
    }
  }

  /** Says goodbye and closes. */
  async close(): Promise<void> {
    if (this.#failure) return;
    await this.#write(el('presence', { type: 'unavailable' })).catch(() => undefined);
    this.#end(lineLost('connection_lost', 'The line was closed', 'unknown'));
    const { socket } = this.#entity;
    this.#entity.timeout = GOODBYE_MS;
    await this.#entity.stop().catch(() => undefined);
    destroySocket(socket);
  }

  /** Ends the line at once. */
  fail(reason: Error): void {
    if (!this.#end(reason)) return;
    destroySocket(this.#entity.socket);
  }

  #end(reason: Error): boolean {
    if (this.#failure) return false;
    this.#failure = reason;
    this.#requests.fail(reason);
    for (const cut of this.#cuts) cut(reason);
    this.#cuts.clear();
    this.#wake();
    return true;
  }

  // ------------------------------------------------------------ opening

  async #start(): Promise<void> {
    const { account, endpoint } = this.#options;
    await this.#enterTunnel(new URL(endpoint.uri));
    await this.#entity.connect(endpoint.uri);
    await this.#entity.open({ domain: account.domain });
    const { jid, features } = await negotiate(this, this.#options);
    this.#jid = jid;
    if (childOf(features, 'sm', NS.acks)) await this.#enableAcks();
  }

  async #enterTunnel(url: URL): Promise<void> {
    if (url.protocol === 'wss:' || url.protocol === 'ws:') return;
    const tunnel = await this.#options.wayOut.tunnel(url);
    if (tunnel === undefined) return;
    useTunnel(this.#entity, tunnel);
    if (!this.#failure) return;
    tunnel.destroy();
    throw this.#failure;
  }

  get secure(): boolean {
    return this.#entity.isSecure();
  }

  async exchange(element: Stanza): Promise<Stanza> {
    await this.#write(element);
    return this.#nextElement();
  }

  async features(): Promise<Stanza> {
    const next = await this.#nextElement();
    if (next.name === 'features' && next.ns === NS.streams) return next;
    throw lineLost('bad_answer', 'The server did not announce its features', 'none');
  }

  async startTls(): Promise<void> {
    const answer = await this.exchange(el('starttls', { xmlns: NS.tls }));
    if (answer.name !== 'proceed' || answer.ns !== NS.tls) throw lineRefused('tls_required');
    const socket = newTlsSocket(this.#entity);
    const secured = new Promise<void>((resolve, reject) => {
      socket.once('connect', () => resolve());
      socket.once('error', reject);
      socket.once('close', () => reject(lineLost('connection_lost', 'The connection broke', 'none')));
    });
    socket.connect({ socket: this.#entity.socket, ...tlsParameters(this.#options.account.domain) });
    await secured;
    this.#entity._attachSocket(socket);
  }

  async restart(): Promise<void> {
    await this.#entity.restart();
  }

  set(child: Stanza): Promise<Stanza> {
    return this.#requests.ask({ type: 'set', child });
  }

  async #enableAcks(): Promise<void> {
    this.#acks.beginSending();
    const answer = await this.exchange(el('enable', { xmlns: NS.acks }));
    if (answer.name !== 'enabled') this.#acks.stop();
  }

  async #nextElement(): Promise<Stanza> {
    for (;;) {
      const next = this.#elements.shift();
      if (next) return next;
      if (this.#failure) throw this.#failure;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  // ------------------------------------------------------------ what comes

  #take(element: XmlElement): void {
    const stanza = fromXml(element);
    if (stanza.ns === NS.streams && stanza.name === 'error') this.fail(streamError(stanza));
    else if (stanza.ns === NS.acks && (stanza.name === 'r' || stanza.name === 'a')) this.#takeAck(stanza);
    else if (stanza.ns === '') this.#takeStanza(stanza);
    else {
      // From this very element on the server counts; its next stanza may stand in the same chunk.
      if (stanza.ns === NS.acks && stanza.name === 'enabled') this.#acks.beginReceiving();
      this.#elements.push(stanza);
      this.#wake();
    }
  }

  #takeStanza(stanza: Stanza): void {
    const done = this.#acks.noteReceived();
    const handled = (): void => {
      done();
      this.#tellHandled();
    };
    switch (stanza.name) {
      case 'message':
        if (this.#jid === '') handled();
        else this.#options.onMessage(stanza, handled);
        return;
      case 'iq':
        this.#takeIq(stanza);
        break;
      case 'presence':
        this.#options.onPresence(stanza);
        break;
    }
    done();
  }

  #takeIq(iq: Stanza): void {
    const type = iq.attrs['type'];
    if (type === 'result' || type === 'error') {
      this.#requests.take(iq);
      return;
    }
    this.send(answerTo(iq, bareOf(this.#options.account))).catch(() => undefined);
  }

  #takeAck({ name, attrs }: Stanza): void {
    if (name === 'r') {
      this.#sayHandled();
    } else if (this.#acks.prove(Number(attrs['h']))) {
      const proofs = this.#proofs;
      this.#proofs = [];
      for (const check of proofs) check();
    } else {
      this.fail(lineLost('connection_lost', 'The server acknowledged more than it was sent', 'unknown'));
    }
  }

  #sayHandled(): void {
    this.#answered = this.#acks.handled;
    this.#write(el('a', { xmlns: NS.acks, h: String(this.#answered) })).catch(() => undefined);
  }

  /** The server asked while a message was on its way to the disk: it is told once it is there. */
  #tellHandled(): void {
    if (this.#acks.active && !this.#failure && this.#acks.handled !== this.#answered) this.#sayHandled();
  }

  // ------------------------------------------------------------ proof

  async #ping(): Promise<void> {
    const to = this.#options.account.domain;
    await this.ask({ type: 'get', to, child: el('ping', { xmlns: NS.ping }) }).catch((error: unknown) => {
      // A server that knows no ping has answered too.
      if (!(error instanceof StanzaRefused)) throw error;
    });
  }

  async #acknowledged(): Promise<void> {
    const count = this.#acks.sent;
    const bounded = deadlineSignal(this.#options.clock, ANSWER_DEADLINE_MS);
    try {
      await this.#write(el('r', { xmlns: NS.acks }));
      await this.#orLost(
        new Promise<void>((resolve, reject) => {
          const check = (): void => {
            if (this.#acks.isProven(count)) resolve();
            else this.#proofs.push(check);
          };
          check();
          bounded.signal.addEventListener('abort', () =>
            reject(lineLost('no_answer', 'The server acknowledged nothing in time', 'unknown')),
          );
        }),
      );
    } finally {
      bounded.done();
    }
  }

  // ------------------------------------------------------------ the connection

  async #write(element: Stanza): Promise<void> {
    try {
      await this.#orLost(this.#entity.send(toXml(this.#options.library, element)));
    } catch (error) {
      throw error instanceof TransportError ? error : lineLost('connection_lost', 'The connection broke', 'unknown');
    }
  }

  /** Work that ends with the line at the latest. Nothing of it stays behind on a line that lives for weeks. */
  async #orLost<T>(work: Promise<T>): Promise<T> {
    let cut: (reason: Error) => void = () => undefined;
    const over = new Promise<never>((_, reject) => (cut = reject));
    const stop = this.onLost(cut);
    try {
      return await Promise.race([work, over]);
    } finally {
      stop();
    }
  }

  #reasonOf(error: unknown): Error {
    if (error instanceof TransportError || error instanceof TargetRefusal) return error;
    if (isCertificateError(error)) return lineRefused('certificate_refused');
    if (this.#jid === '' && this.#entity.parser === null) {
      return lineLost('unreachable', 'The server could not be reached', 'none');
    }
    return lineLost('connection_lost', 'The connection broke', 'unknown');
  }
}
