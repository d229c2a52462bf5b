import type { Clock, Timer } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import { Serial } from '../base/serial.js';
import type { ServerSnapshot } from '../bridge/index.js';
import { PortForbiddenError, PortInUseError, type Server } from '../server/index.js';
import { CommandError } from './command-error.js';
import { freePortNear } from './free-port.js';
import { findPortHolder } from './port-holder.js';

/** A port that was taken is tried again by itself this often: whoever had it may be gone. Milliseconds. */
const PORT_RETRY_MS = 10_000;

/** What a host does when its port is taken: `fail` does not start, `wait` goes on without agents and says so. */
export type WhenPortTaken = 'fail' | 'wait';

export interface PortKeeperParts {
  readonly server: Pick<Server, 'listen'>;
  /** Address to listen on, as in `server.host`. */
  readonly host: string;
  /** The port wanted; 0 takes a free one. */
  readonly port: number;
  readonly whenTaken: WhenPortTaken;
  readonly clock: Clock;
  readonly log: Logger;
  readonly changed: () => void;
  readonly findHolder?: typeof findPortHolder;
}

type Taken = Extract<ServerSnapshot, { state: 'port_taken' }>;

/** Keeps the server on the port that is wanted: waits for one that is taken, and moves to another at once. */
export class PortKeeper {
  readonly #parts: PortKeeperParts;
  #wanted: number;
  #bound: { readonly host: string; readonly port: number } | undefined;
  #taken: Taken | undefined;
  #retry: Timer | undefined;
  /** One change of the port at a time. */
  readonly #turns = new Serial();
  #closed = false;

  constructor(parts: PortKeeperParts) {
    this.#parts = parts;
    this.#wanted = parts.port;
  }

  get state(): ServerSnapshot {
    return this.#taken ?? { state: 'listening' };
  }

  /** The port it listens on, or waits for. */
  get port(): number {
    return this.#bound?.port ?? this.#wanted;
  }

  /** Where it listens, or will: `http://127.0.0.1:19080`. */
  get url(): string {
    const host = this.#bound?.host ?? this.#parts.host;
    return `http://${host.includes(':') ? `[${host}]` : host}:${this.port}`;
  }

  /** @throws PortInUseError, PortForbiddenError with `fail`; Node's error when the address can't be bound */
  start(): Promise<void> {
    return this.#turns.run(async () => {
      try {
        await this.#listen(this.#wanted);
      } catch (error) {
        if (this.#parts.whenTaken === 'fail' || !isPortProblem(error)) throw error;
        await this.#isTaken();
      }
    });
  }

  /** Tries the wanted port once more. @throws CommandError `port_in_use` or `port_forbidden` when it still can't be had */
  retry(): Promise<void> {
    return this.#turns.run(async () => {
      if (this.#taken === undefined) return;
      try {
        await this.#listen(this.#wanted);
      } catch (error) {
        if (isPortProblem(error)) await this.#isTaken();
        throw refusalOf(error);
      }
    });
  }

  /**
   * Listens on another port from now on. When anything fails, everything stays as it was.
   * @param keep stores the choice, before the former port is given up
   * @throws CommandError `port_in_use` or `port_forbidden`, what `keep` throws
   */
  move(port: number, keep: () => Promise<void>): Promise<void> {
    return this.#turns.run(async () => {
      if (port === this.#bound?.port) {
        await keep();
        return;
      }
      try {
        await this.#listen(port, keep);
      } catch (error) {
        throw refusalOf(error);
      }
    });
  }

  close(): void {
    this.#closed = true;
    this.#retry?.cancel();
  }

  async #listen(port: number, keep?: () => Promise<void>): Promise<void> {
    this.#bound = await this.#parts.server.listen(port, keep);
    this.#wanted = port;
    this.#retry?.cancel();
    const waited = this.#taken !== undefined;
    this.#taken = undefined;
    if (waited) this.#parts.log.info({ port: this.#bound.port }, 'the port is free: agents can connect now');
    this.#parts.changed();
  }

  async #isTaken(): Promise<void> {
    const { host, clock, log, changed, findHolder = findPortHolder } = this.#parts;
    const port = this.#wanted;
    const [holder, suggestedPort] = await Promise.all([findHolder(port), freePortNear(host, port)]);
    const since = this.#taken?.port === port ? this.#taken.since : clock.now();
    if (this.#taken === undefined) log.warn({ port, holder }, 'the port is taken: agents can not connect');
    this.#taken = { state: 'port_taken', port, holder, suggestedPort, since };
    this.#armRetry();
    changed();
  }

  #armRetry(): void {
    this.#retry?.cancel();
    if (this.#closed) return;
    this.#retry = this.#parts.clock.after(PORT_RETRY_MS, () => {
      void this.#turns.run(async () => {
        if (this.#taken === undefined || this.#closed) return;
        await this.#listen(this.#wanted).catch(() => this.#armRetry());
      });
    });
  }
}

function isPortProblem(error: unknown): boolean {
  return error instanceof PortInUseError || error instanceof PortForbiddenError;
}

function refusalOf(error: unknown): unknown {
  if (error instanceof PortInUseError || error instanceof PortForbiddenError) {
    return new CommandError(error.code, error.message);
  }
  return error;
}
