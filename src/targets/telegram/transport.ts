import http from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { TransportError } from '../../base/errors.js';
import { onceStanding, type WayOut } from '../../base/proxy/way-out.js';
import { parseJson } from '../../base/parse-json.js';
import { abandoned, exchangeError, readAll } from '../http-request.js';
import { fieldsOf } from '../json-fields.js';

/** A free connection older than this is not used again: servers and routers drop idle ones without a word. */
const IDLE_CONNECTION_MS = 10_000;
/** A full batch of 100 updates stays far below this. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/** The parts of a fetch call that grammY makes. */
export interface ExchangeInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Readable;
  readonly signal?: Abortable;
}

/** A signal of the platform or of the library. */
export type Abortable = Pick<AbortSignal, 'aborted' | 'addEventListener' | 'removeEventListener'>;

/** The part of a fetch answer that grammY reads. */
export interface ExchangeAnswer {
  json(): Promise<unknown>;
}

type Purpose = 'poll' | 'call';

/**
 * HTTP for the Bot API, in place of the library's own: it knows whether a request can have reached the server, never follows
 * a redirect with the token in its path, and its errors hold neither URL nor body.
 */
export class TelegramTransport {
  readonly #module: typeof http | typeof https;
  readonly #agents: Record<Purpose, http.Agent>;
  readonly #secure: boolean;
  readonly #wayOut: WayOut;

  constructor(apiRoot: string, wayOut: WayOut) {
    this.#secure = apiRoot.startsWith('https:');
    this.#module = this.#secure ? https : http;
    this.#wayOut = wayOut;
    this.#agents = { poll: this.#newAgent(), call: this.#newAgent() };
  }

  /** A `fetch` for grammY. @throws TransportError */
  readonly fetch = async (url: string | URL, init: ExchangeInit, signal: AbortSignal): Promise<ExchangeAnswer> => {
    const answer = await this.exchange(new URL(url), init, signal);
    return { json: () => readAnswer(answer) };
  };

  /**
   * One request; resolves with the answer's head, its body still to be read. A body that is a stream is closed, however it ends.
   * @throws TransportError effect `none` while no connection stood (through a proxy: to Telegram, TLS done), `unknown` afterwards
   */
  exchange(url: URL, init: ExchangeInit, outer: Abortable): Promise<http.IncomingMessage> {
    const purpose: Purpose = url.pathname.endsWith('/getUpdates') ? 'poll' : 'call';
    return new Promise((resolve, reject) => {
      let connected = false;
      const { body } = init;
      const signals = init.signal ? [outer, init.signal] : [outer];
      const release = (): void => {
        signals.forEach((signal) => signal.removeEventListener('abort', onAbort));
        // A call that broke, or was answered before all was sent, leaves its file half read.
        if (typeof body === 'object') body.destroy();
      };
      const request = this.#module.request(
        url,
        { method: init.method ?? 'GET', headers: { ...init.headers }, agent: this.#agents[purpose] },
        (answer) => {
          answer.once('close', release);
          resolve(answer);
        },
      );
      const refuse = (error: TransportError): void => {
        release();
        reject(error);
      };
      const onAbort = (): void => {
        refuse(abandoned(connected));
        request.destroy();
      };
      request.once('socket', (socket) => {
        if (request.reusedSocket) connected = true;
        else onceStanding(socket, this.#secure, () => (connected = true));
      });
      request.on('error', (error) => refuse(exchangeError(error, connected, 'Telegram')));
      if (signals.some(({ aborted }) => aborted)) {
        onAbort();
        return;
      }
      for (const signal of signals) signal.addEventListener('abort', onAbort);
      if (body === undefined || typeof body === 'string') {
        request.end(body);
      } else {
        // The library rejects by itself when a file can't be read; here the half-sent request only has to go.
        body.once('error', () => request.destroy());
        body.pipe(request);
      }
    });
  }

  /** The next polls and calls take fresh connections; calls in flight end on theirs, a poll in flight is cut. */
  renew(): void {
    this.#agents.poll.destroy();
    for (const sockets of Object.values(this.#agents.call.freeSockets)) {
      for (const socket of sockets ?? []) socket.destroy();
    }
    this.#agents.poll = this.#newAgent();
    this.#agents.call = this.#newAgent();
  }

  close(): void {
    this.#agents.poll.destroy();
    this.#agents.call.destroy();
  }

  #newAgent(): http.Agent {
    return this.#wayOut.agent(this.#secure, { keepAlive: true, timeout: IDLE_CONNECTION_MS });
  }
}

/**
 * An answer that is no object of the Bot API: a gateway's page, a captive portal, another program at that address. It is not
 * Telegram's word on the token or the chat, whatever its status says.
 */
export class PageAnswer extends TransportError {
  constructor(readonly status: number) {
    const refused = status >= 400 && status < 500;
    super(status >= 500 ? 'gateway_error' : 'bad_answer', 'The server did not answer as a Bot API', {
      effect: refused ? 'none' : 'unknown',
    });
  }
}

/** Statuses that gateways give on behalf of the server behind them: a body too large, too many requests. */
const SPOKEN_BY_GATEWAYS = [413, 429];

/** Reads a Bot API answer. @throws PageAnswer, TransportError */
async function readAnswer(answer: http.IncomingMessage): Promise<unknown> {
  const status = answer.statusCode ?? 0;
  const text = (await readAll(answer, MAX_ANSWER_BYTES)).toString('utf8');
  const value = fieldsOf(parseJson(text));
  if (value['ok'] === true && 'result' in value) return value;
  if (value['ok'] === false) return { description: '', ...value, error_code: errorCode(value['error_code'], status) };
  if (SPOKEN_BY_GATEWAYS.includes(status)) return { ok: false, error_code: status, description: '' };
  throw new PageAnswer(status);
}

function errorCode(value: unknown, status: number): number {
  return typeof value === 'number' ? value : status;
}
