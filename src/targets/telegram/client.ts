import type * as Grammy from 'grammy';
import type { Clock } from '../../base/clock.js';
import { TransportError } from '../../base/errors.js';
import type { WayOut } from '../../base/proxy/way-out.js';
import { deadlineSignal } from '../../base/deadline.js';
import { toTelegramError } from './errors.js';
import { TelegramTransport, type ExchangeInit } from './transport.js';

/** An ordinary call ends within this time. */
export const CALL_DEADLINE_MS = 30_000;
/** A call that carries a file of up to 50 MB over a slow line. The Bot API itself gives up after 500 s. */
export const UPLOAD_DEADLINE_MS = 300_000;
/** The library's own timer runs on the system clock; ours come first, this one is a last resort. */
const LIBRARY_TIMEOUT_S = 500;

/** The parts of the library that are used, loaded at the first need. */
export type GrammyModule = Pick<typeof Grammy, 'Api' | 'InputFile'>;
export type LoadGrammy = () => Promise<GrammyModule>;

/** One bot token's way to the Bot API: grammY's typed calls, our HTTP, our deadlines, our errors. */
export class BotClient {
  readonly token: string;
  readonly transport: TelegramTransport;
  readonly #load: LoadGrammy;
  readonly #apiRoot: string;
  readonly #clock: Clock;
  readonly #calls = new Set<Promise<unknown>>();

  constructor(load: LoadGrammy, apiRoot: string, token: string, clock: Clock, wayOut: WayOut) {
    this.token = token;
    this.#apiRoot = apiRoot;
    this.#clock = clock;
    this.transport = new TelegramTransport(apiRoot, wayOut);
    this.#load = load;
  }

  /**
   * Makes one call.
   * @throws TargetRefusal, TransportError (`timeout` when the deadline passed)
   */
  async call<T>(
    run: (api: Grammy.Api, grammy: GrammyModule) => Promise<T>,
    signal?: AbortSignal,
    deadlineMs = CALL_DEADLINE_MS,
  ): Promise<T> {
    const call = this.#call(run, signal, deadlineMs);
    this.#calls.add(call);
    try {
      return await call;
    } finally {
      this.#calls.delete(call);
    }
  }

  /** Resolves when no call is under way. */
  async idle(): Promise<void> {
    while (this.#calls.size > 0) await Promise.allSettled(this.#calls);
  }

  async #call<T>(
    run: (api: Grammy.Api, grammy: GrammyModule) => Promise<T>,
    signal: AbortSignal | undefined,
    deadlineMs: number,
  ): Promise<T> {
    const bounded = deadlineSignal(this.#clock, deadlineMs, signal);
    try {
      const grammy = await this.#load();
      return await run(this.#api(grammy, bounded.signal), grammy);
    } catch (error) {
      const known = toTelegramError(error);
      if (bounded.expired && known instanceof TransportError) {
        throw new TransportError('timeout', 'Telegram did not answer in time', { effect: known.effect });
      }
      throw known;
    } finally {
      bounded.done();
    }
  }

  /** The library takes signals of its own kind only; ours reaches the HTTP client directly. */
  #api(grammy: GrammyModule, signal: AbortSignal): Grammy.Api {
    return new grammy.Api(this.token, {
      apiRoot: this.#apiRoot,
      timeoutSeconds: LIBRARY_TIMEOUT_S,
      fetch: (url: string | URL, init: ExchangeInit) => this.transport.fetch(url, init, signal),
    });
  }

  /** Where a file's bytes are. The URL holds the token and stays within this folder. */
  fileUrl(filePath: string): URL {
    const path = filePath.split('/').map(encodeURIComponent).join('/');
    return new URL(`${this.#apiRoot}/file/bot${this.token}/${path}`);
  }
}
