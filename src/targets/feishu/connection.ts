import type { Clock } from '../../base/clock.js';
import { describeError, TransportError, type TargetRefusal } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import { ProxyError } from '../../base/proxy/proxy-error.js';
import type { WayOut } from '../../base/proxy/way-out.js';
import { numberOf } from '../json-fields.js';
import type { AppAccess } from './client.js';
import { refusalOf } from './errors.js';
import { httpBridge } from './http-bridge.js';
import { boundPingInterval, type PingRules } from './ping-pace.js';
import { mutedLogger, type Sdk } from './sdk.js';
import { watchedAgent } from './socket-watch.js';

/** The WebSocket must stand within this; milliseconds. */
const HANDSHAKE_TIMEOUT_MS = 15_000;
const ENDPOINT_PATH = '/callback/ws/endpoint';
const EVENT = 'im.message.receive_v1';

export interface ConnectionOptions {
  readonly sdk: Sdk;
  readonly access: AppAccess;
  readonly clock: Clock;
  readonly log: Logger;
  readonly wayOut: WayOut;
  readonly ping: PingRules;
  /** Takes one event over: what it brought is on disk when it resolves. Rejecting asks the server for it again. */
  readonly onEvent: (event: unknown) => Promise<void>;
}

/** The SDK connects only apps whose id looks like this, and says nothing about others. */
const APP_ID = /^cli_[0-9a-fA-F]{16}$/;

/**
 * One long connection, from its making to its end; it never reconnects. Each {@link next} waits for the next sign of life:
 * first the connection itself, then any bytes from the server, such as the answer to a ping.
 */
export class Connection {
  readonly #client: InstanceType<Sdk['WSClient']>;
  #isUp = false;
  #failure: Error | undefined;
  /** Why no connection could be made, as far as we saw it pass: the SDK tells less. */
  #reason: TargetRefusal | ProxyError | undefined;
  #signs = 0;
  #waiting: (() => void) | undefined;

  /** @throws TargetRefusal when the SDK would not even try */
  constructor({ sdk, access, clock, log, wayOut, ping, onEvent }: ConnectionOptions) {
    if (!APP_ID.test(access.appId)) throw refusalOf(10003);
    const logger = mutedLogger(log);
    const isSecure = access.apiBaseUrl.startsWith('https:');
    const onFailure = (error: unknown): void => {
      if (error instanceof ProxyError) this.#reason = error;
    };
    this.#client = new sdk.WSClient({
      appId: access.appId,
      appSecret: access.appSecret,
      domain: access.apiBaseUrl,
      logger,
      autoReconnect: false,
      handshakeTimeoutMs: HANDSHAKE_TIMEOUT_MS,
      wsConfig: { pingTimeout: ping.timeoutS },
      agent: watchedAgent(wayOut, isSecure, {
        onFailure,
        onData: () => this.#sign(),
        onClose: () => this.#fail(new TransportError('connection_lost', 'The connection broke', { effect: 'none' })),
      }),
      // The SDK makes one text of every refusal, and takes one without data for a fault; the number is read here.
      httpInstance: httpBridge(
        { clock, wayOut },
        {
          onFailure,
          onAnswer: (path, answer) => {
            const code = numberOf(answer['code']);
            if (path === ENDPOINT_PATH && code !== undefined && code !== 0) this.#reason = refusalOf(code);
          },
        },
      ),
      onReady: () => {
        this.#isUp = true;
        this.#sign();
      },
      onError: () => {
        const lost = new TransportError('unreachable', 'No connection could be made', { effect: 'none' });
        this.#fail(this.#reason ?? lost);
      },
    });
    boundPingInterval(this.#client, ping.intervalS);
    const eventDispatcher = new sdk.EventDispatcher({ logger }).register({
      [EVENT]: async (event: unknown) => {
        try {
          await onEvent(event);
        } catch (error) {
          log.warn({ error: describeError(error) }, 'a message could not be taken in; Feishu is asked to repeat it');
          throw error;
        }
      },
    });
    void this.#client.start({ eventDispatcher });
  }

  /** Resolves at the next sign of life, at once when there was one since the last call. @throws TargetRefusal, TransportError */
  async next(): Promise<void> {
    while (this.#signs === 0 && !this.#failure) {
      await new Promise<void>((resolve) => (this.#waiting = resolve));
    }
    if (this.#failure) throw this.#failure;
    this.#signs = 0;
  }

  close(): void {
    // Closed before it stood, the SDK says nothing of it any more, and whoever waits for the next sign would wait for ever.
    this.#end(new TransportError('connection_lost', 'The connection was closed', { effect: 'none' }));
    this.#client.close({ force: true });
  }

  /** What comes before the connection stands is the handshake, and not yet life. */
  #sign(): void {
    if (!this.#isUp) return;
    this.#signs += 1;
    this.#waiting?.();
  }

  #fail(error: Error): void {
    // The end of a socket that never stood is told by the SDK, with its reason.
    if (!this.#isUp && error instanceof TransportError && error.code === 'connection_lost') return;
    this.#end(error);
  }

  #end(error: Error): void {
    this.#failure ??= error;
    this.#waiting?.();
  }
}
