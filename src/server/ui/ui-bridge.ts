import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';
import { within } from '../../base/within.js';
import type { RefuseUpgrade, Route, UpgradeRoute } from '../http/route.js';
import { CloseCode, completeUpgrade, upgradeRequired } from '../http/websocket.js';
import { notOwnPage } from './own-page.js';
import { UiConnection } from './ui-connection.js';
import { sessionIdsOf } from './ui-cookie.js';
import type { UiPort } from './ui-port.js';
import type { UiSession, UiSessions } from './ui-sessions.js';

const PATH = '/bridge';
/** A message of the local chat with every character escaped, and room to spare; bytes. */
const MAX_MESSAGE_BYTES = 1024 * 1024;
/** Windows open at the same time in all browsers; more are a fault. */
const MAX_CONNECTIONS = 32;

/** `GET /ui/bridge`: the sockets of windows in browsers. */
export class UiBridge {
  readonly #server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
  });
  readonly #connections = new Set<UiConnection>();
  #closing = false;

  constructor(
    private readonly parts: {
      readonly port: UiPort;
      readonly sessions: UiSessions;
      /** How long a closing handshake may take, milliseconds. */
      readonly closeMs: number;
      readonly clock: Clock;
      readonly log: Logger;
    },
  ) {}

  readonly upgrade: UpgradeRoute = {
    path: PATH,
    access: 'own',
    accept: (request, socket, head, refuse) => this.#accept(request, socket, head, refuse),
  };

  /** The same path asked for without an upgrade. */
  readonly route: Route = upgradeRequired(this.upgrade);

  /** Says goodbye to every window (1001). */
  async close(): Promise<void> {
    this.#closing = true;
    const { clock, closeMs } = this.parts;
    for (const connection of this.#connections) connection.close(CloseCode.goingAway, 'the connector is shutting down');
    await within(clock, closeMs, Promise.all([...this.#connections].map(({ closed }) => closed)));
    for (const connection of this.#connections) connection.terminate();
  }

  #accept(request: IncomingMessage, socket: Duplex, head: Buffer, refuse: RefuseUpgrade): void {
    const foreign = notOwnPage(request);
    if (foreign) {
      refuse(foreign);
      return;
    }
    const session = this.parts.sessions.find(sessionIdsOf(request));
    if (session === undefined) {
      refuse({ status: 401, code: 'session_needed', message: 'open the window with a fresh link' });
      return;
    }
    if (this.#closing || this.#connections.size >= MAX_CONNECTIONS) {
      refuse({ status: 503, code: this.#closing ? 'shutting_down' : 'busy' });
      return;
    }
    completeUpgrade(this.#server, { request, socket, head }, refuse, (ws) => {
      const { port, clock, log } = this.parts;
      this.#serve(new UiConnection({ ws, port, clock, log }), session);
    });
  }

  #serve(connection: UiConnection, session: UiSession): void {
    this.#connections.add(connection);
    this.parts.log.info('a window in a browser is connected');
    const off = session.onEnd(() => connection.close(CloseCode.policyViolation, 'the session is over'));
    void connection.closed.then(() => {
      off();
      this.#connections.delete(connection);
    });
  }
}
