/**
 * The part of @xmpp/client that is used, here and by the person of the tests; the package brings no types. What the library does
 * for us is XML, opening and restarting a stream, and STARTTLS. Why the rest of it is left aside stands in library.ts and in
 * docs/targets/xmpp.md.
 */
declare module '@xmpp/client' {
  import type { EventEmitter } from 'node:events';

  export interface XmlElement {
    readonly name: string;
    readonly attrs: Readonly<Record<string, unknown>>;
    children: (XmlElement | string)[];
    /** Local name. */
    getName(): string;
    /** Namespace, inherited ones too. */
    getNS(): string | undefined;
    is(name: string, ns?: string): boolean;
    toString(): string;
  }

  export interface XmppSocket extends EventEmitter {
    /** The TLS socket below a wrapper. */
    readonly socket?: { destroy(error?: Error): void } | null;
    destroy?(error?: Error): void;
    connect(parameters: unknown): void;
    end(): void;
  }

  /** A way to carry a stream; only its prototype is ever used. */
  export interface Transport {
    readonly prototype: {
      socketParameters(service: string): unknown;
      Socket: new () => XmppSocket;
    };
  }

  export interface Entity extends EventEmitter {
    readonly transports: Transport[];
    readonly reconnect: { stop(): void };
    readonly iqCaller: { request(iq: XmlElement): Promise<XmlElement> };
    readonly iqCallee: { get(ns: string, name: string, answer: () => XmlElement): void };
    readonly socket: XmppSocket | null;
    /** Called with every chunk that a socket gives. */
    _onData: (data: Buffer | string) => void;
    /** Called with a stream error, before it is given out as an element. */
    _onStreamError: (element: XmlElement) => void;
    readonly parser: { write(data: string): void } | null;
    /** Milliseconds for opening and closing a stream. */
    timeout: number;
    _attachSocket(socket: XmppSocket): void;
    connect(service: string): Promise<unknown>;
    open(options: { domain: string; lang?: string }): Promise<unknown>;
    restart(): Promise<unknown>;
    stop(): Promise<unknown>;
    send(element: XmlElement): Promise<void>;
    isSecure(): boolean;
  }

  export function client(options: {
    service: string;
    domain: string;
    username?: string;
    password?: string;
    /** Milliseconds for opening a stream. */
    timeout?: number;
    userAgent?: XmlElement;
  }): Entity;

  export function xml(
    name: string,
    attrs: Readonly<Record<string, string>>,
    ...children: readonly (XmlElement | string)[]
  ): XmlElement;
}
