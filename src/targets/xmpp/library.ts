import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import { domainToASCII } from 'node:url';
import type * as Xmpp from '@xmpp/client';
import type { Entity, Transport, XmlElement, XmppSocket } from '@xmpp/client';
import type { WayOut } from '../../base/proxy/way-out.js';
import { NS } from './namespaces.js';
import type { Stanza } from './stanza.js';
import { WebSocketSocket } from './web-socket.js';

export type XmppLibrary = Pick<typeof Xmpp, 'client' | 'xml'>;
export type LoadXmpp = () => Promise<XmppLibrary>;

/** Deeper than this nothing that is spoken here goes; somebody who nests more wants to exhaust the stack. */
const MAX_DEPTH = 16;
/** A single element larger than this does not come from a sane server; bytes. */
const MAX_ELEMENT_BYTES = 8 * 1024 * 1024;
/** The library's own limit for opening a stream, on real time; ours, on the host's clock, is shorter. Milliseconds. */
const LIBRARY_TIMEOUT_MS = 120_000;

export interface EntityOptions {
  readonly uri: string;
  readonly domain: string;
  /** For WebSockets; the others are given to {@link useTunnel}. */
  readonly wayOut: WayOut;
  /** What the parser made no sense of, or more than it may hold. */
  readonly onUnreadable: () => void;
}

/**
 * The lower half of the library's client: XML, the stream's opening and restart, sockets. Its upper half is taken off, each part
 * for a reason:
 * - its stream management counts what was received, not what is on disk, and loses count against real servers;
 * - its SASL knows SCRAM-SHA-1 only, encodes names and passwords as Latin-1, and skips the server's proof;
 * - its reconnection, timeouts and IQ answers run on real time and without end;
 * - it decodes each chunk by itself, which tears characters that two chunks share;
 * - it tells of a stream error first as a broken connection, and goes to another host where a server says so.
 */
export function createEntity(library: XmppLibrary, { uri, domain, wayOut, onUnreadable }: EntityOptions): Entity {
  const userAgent = library.xml('user-agent', {});
  const entity = library.client({ service: uri, domain, timeout: LIBRARY_TIMEOUT_MS, userAgent });
  entity.reconnect.stop();
  entity.removeAllListeners('element');
  entity.removeAllListeners('send');
  useOwnTransports(entity, domain, wayOut);
  // The element follows, and is read like any other.
  entity._onStreamError = () => undefined;
  const decoder = new StringDecoder('utf8');
  let pending = 0;
  entity.on('element', () => (pending = 0));
  entity._onData = (data) => {
    pending += data.length;
    try {
      if (pending > MAX_ELEMENT_BYTES) throw new Error('too large');
      entity.parser?.write(typeof data === 'string' ? data : decoder.write(data));
    } catch {
      onUnreadable();
    }
  };
  return entity;
}

/** What TLS must be asked for: the certificate of the XMPP domain, whatever host DNS or the configuration named. */
export function tlsParameters(domain: string): { servername: string; ALPNProtocols: string[] } {
  return { servername: domainToASCII(domain) || domain, ALPNProtocols: ['xmpp-client'] };
}

function useOwnTransports(entity: Entity, domain: string, wayOut: WayOut): void {
  const { tcp, tls, web } = transportsOf(entity);
  const OwnWebSocket = class extends WebSocketSocket {
    constructor() {
      super(wayOut);
    }
  };
  useTransports(entity, tcp, withParameters(tls, tlsParameters(domain)), variantOf(web, { Socket: OwnWebSocket }));
}

/** The entity's next connection, unless it is a WebSocket, is this one, which stands already: through a proxy, to the server. */
export function useTunnel(entity: Entity, tunnel: Socket): void {
  const { tcp, tls, web } = transportsOf(entity);
  const standing = Object.assign(tunnel, {
    secure: false,
    connect: () => setImmediate(() => tunnel.emit('connect')),
  });
  function Standing(): object {
    return standing;
  }
  useTransports(
    entity,
    variantOf(tcp, { Socket: Standing as unknown as Transport['prototype']['Socket'] }),
    withParameters(tls, { socket: tunnel }),
    web,
  );
}

function useTransports(entity: Entity, ...transports: readonly Transport[]): void {
  entity.transports.splice(0, entity.transports.length, ...transports);
}

function withParameters(transport: Transport, more: object): Transport {
  return variantOf(transport, {
    socketParameters: (service: string) => {
      const parameters = transport.prototype.socketParameters(service);
      return isObject(parameters) ? { ...parameters, ...more } : undefined;
    },
  });
}

/** A TLS socket of the library that is not connected yet, for STARTTLS. */
export function newTlsSocket(entity: Entity): XmppSocket {
  const { Socket } = transportsOf(entity).tls.prototype;
  return new Socket();
}

function transportsOf(entity: Entity): { tcp: Transport; tls: Transport; web: Transport } {
  const by = (uri: string): Transport => {
    const found = entity.transports.find(({ prototype }) => prototype.socketParameters(uri) !== undefined);
    if (!found) throw new Error('The XMPP library lacks a transport');
    return found;
  };
  return { tcp: by('xmpp://host'), tls: by('xmpps://host'), web: by('wss://host') };
}

/** The library uses nothing of a transport but its prototype. */
function variantOf({ prototype }: Transport, changes: Partial<Transport['prototype']>): Transport {
  const changed: Transport['prototype'] = Object.create(prototype) as Transport['prototype'];
  return { prototype: Object.assign(changed, changes) };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Ends the connection at once, whatever state it is in. */
export function destroySocket(socket: XmppSocket | null): void {
  if (!socket) return;
  const reason = new Error('abandoned');
  // Nobody listens any more to what the socket still has to say.
  if (socket instanceof EventEmitter && socket.listenerCount('error') === 0) socket.on('error', () => undefined);
  if (socket.destroy) socket.destroy(reason);
  else socket.socket?.destroy(reason);
}

export function fromXml(element: XmlElement, depth = 0): Stanza {
  const ns = element.getNS() ?? '';
  const attrs = Object.entries(element.attrs).filter(([key]) => key !== 'xmlns' && !key.startsWith('xmlns:'));
  const children = depth >= MAX_DEPTH ? [] : element.children;
  return {
    name: element.getName(),
    ns: ns === NS.client ? '' : ns,
    attrs: Object.fromEntries(attrs.map(([key, value]) => [key, String(value)])),
    children: children.map((child) => (typeof child === 'string' ? child : fromXml(child, depth + 1))),
  };
}

export function toXml(library: Pick<XmppLibrary, 'xml'>, stanza: Stanza): XmlElement {
  const children = stanza.children.map((child) => (typeof child === 'string' ? child : toXml(library, child)));
  return library.xml(stanza.name, stanza.ns === '' ? stanza.attrs : { xmlns: stanza.ns, ...stanza.attrs }, ...children);
}
