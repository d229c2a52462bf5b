import { createServer, type Socket } from 'node:net';
import type { Clock } from '../base/clock.js';
import { conforms } from '../base/conforms.js';
import { describeError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { Paced } from '../base/paced.js';
import {
  BridgeRequest,
  SNAPSHOT_INTERVAL_MS,
  SUBSCRIBE,
  type Answer,
  type BridgeMessage,
  type Snapshot,
} from '../bridge/index.js';
import { createAnswer } from './answer.js';
import type { Execute } from './commands.js';
import { closeAt, listenAt } from './control-endpoint.js';
import { jsonLine, readJsonLines } from './json-lines.js';

/** Longest request line: a message of the local chat with every character escaped, and room to spare. */
const MAX_LINE_BYTES = 1024 * 1024;
/** The command line and a window or two; more are a fault. */
const MAX_CONNECTIONS = 32;
/** A reader that does not read its last lines is cut after this; milliseconds. */
const GOODBYE_MS = 500;

export interface ControlSocket {
  /** Says goodbye to everyone and removes the socket. */
  close(): Promise<void>;
}

/**
 * Serves the bridge to programs of the same person: a socket in the data directory, with the folder's rights.
 * One JSON object a line: `{"id":1,"command":"snapshot"}` is answered `{"id":1,"result":{…}}` or
 * `{"id":1,"error":{"code","message"}}`; after `{"id":2,"command":"subscribe"}` snapshots come by themselves.
 */
export async function openControlSocket(parts: {
  readonly dataDir: string;
  readonly execute: Execute;
  readonly snapshot: () => Snapshot;
  readonly onChange: (fn: () => void) => () => void;
  readonly clock: Clock;
  readonly log: Logger;
}): Promise<ControlSocket> {
  const connections = new Set<Connection>();
  const answer = createAnswer(parts.execute, parts.log);
  const server = createServer((socket) => {
    const connection = new Connection(socket, { ...parts, answer });
    connections.add(connection);
    socket.once('close', () => connections.delete(connection));
  });
  server.maxConnections = MAX_CONNECTIONS;
  await listenAt(server, parts.dataDir);
  server.on('error', (error) => parts.log.warn({ error: describeError(error) }, 'the control socket failed'));
  const unsubscribe = parts.onChange(() => connections.forEach((connection) => connection.changed()));
  return {
    async close() {
      unsubscribe();
      closeAt(server, parts.dataDir);
      await Promise.all([...connections].map((connection) => connection.close()));
    },
  };
}

/** One program at the other end. */
class Connection {
  readonly #snapshots: Paced;
  #subscribed = false;

  constructor(
    private readonly socket: Socket,
    private readonly parts: {
      readonly answer: (command: string, params: unknown) => Promise<Answer>;
      readonly snapshot: () => Snapshot;
      readonly clock: Clock;
    },
  ) {
    this.#snapshots = new Paced(parts.clock, SNAPSHOT_INTERVAL_MS, () => this.#sendSnapshot());
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#snapshots.stop());
    readJsonLines(socket, MAX_LINE_BYTES, (value) => void this.#answer(value));
  }

  /** Something that snapshots show has changed. */
  changed(): void {
    if (this.#subscribed) this.#snapshots.request();
  }

  /** Lets what was written leave, then closes. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      if (this.socket.destroyed) {
        resolve();
        return;
      }
      this.socket.once('close', () => resolve());
      this.socket.end(() => this.socket.destroy());
      this.parts.clock.after(GOODBYE_MS, () => this.socket.destroy());
    });
  }

  async #answer(value: unknown): Promise<void> {
    if (!conforms(BridgeRequest, value)) {
      this.#send({
        id: null,
        error: { code: 'invalid_request', message: 'expected one request as a JSON object per line' },
      });
      this.socket.end();
      return;
    }
    const { id, command, params } = value;
    if (command === SUBSCRIBE) {
      this.#subscribed = true;
      this.#send({ id, result: {} });
      this.#snapshots.request();
      return;
    }
    this.#send({ id, ...(await this.parts.answer(command, params)) });
  }

  /** Resolves when the reader took it: a slow one gets the newest next, not all that lay between. */
  #sendSnapshot(): Promise<void> {
    return new Promise((resolve) => {
      if (this.socket.writable) this.#send({ event: 'snapshot', snapshot: this.parts.snapshot() }, () => resolve());
      else resolve();
    });
  }

  #send(message: BridgeMessage, written?: () => void): void {
    if (this.socket.writable) this.socket.write(jsonLine(message), written);
  }
}
