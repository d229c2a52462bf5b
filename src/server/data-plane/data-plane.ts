import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';
import { within } from '../../base/within.js';
import type { Connector } from '../../connector/connector.js';
import type { Delivery } from '../../delivery/delivery.js';
import type { FileStore } from '../../files/file-store.js';
import { DATA_PLANE_SUBPROTOCOL } from '../../protocol/index.js';
import type { RefuseUpgrade, Route, UpgradeRoute } from '../http/route.js';
import { CloseCode, completeUpgrade, upgradeRequired } from '../http/websocket.js';
import type { ServerLimits, ServerOptions } from '../server-options.js';
import type { AgentFacts } from './agent-facts.js';
import { DataPlaneSession } from './data-plane-session.js';
import { Transmissions } from './transmissions.js';

export interface DataPlaneParts {
  readonly connector: Connector;
  readonly delivery: Delivery;
  readonly files: FileStore;
  readonly options: Pick<ServerOptions, 'maxPacketBytes' | 'helloTimeoutMs' | 'pingIntervalMs'>;
  readonly limits: ServerLimits;
  readonly clock: Clock;
  readonly log: Logger;
}

const PATH = '/ws';

/** `GET /ws` of one connector: its sockets, and the transmissions they share. */
export class DataPlane {
  readonly #parts: DataPlaneParts;
  readonly #server: WebSocketServer;
  readonly #sessions = new Set<DataPlaneSession>();
  readonly #transmissions = new Transmissions();
  #lastLink = 0;
  #closing = false;

  constructor(parts: DataPlaneParts) {
    this.#parts = parts;
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      // Packets are small and local; compression would cost memory per socket and open a side channel.
      perMessageDeflate: false,
      maxPayload: parts.options.maxPacketBytes,
      handleProtocols: (offered) => (offered.has(DATA_PLANE_SUBPROTOCOL) ? DATA_PLANE_SUBPROTOCOL : false),
    });
  }

  readonly upgrade: UpgradeRoute = {
    path: PATH,
    access: 'key',
    accept: (request, socket, head, refuse) => this.#accept(request, socket, head, refuse),
  };

  /** The same path asked for without an upgrade. */
  readonly route: Route = upgradeRequired(this.upgrade);

  /** Every agent that said hello and is connected. */
  agents(): readonly AgentFacts[] {
    return [...this.#sessions].flatMap(({ agent }) => (agent === undefined ? [] : [agent]));
  }

  /** Ends every socket at once: what they were let in with counts no more. */
  revoke(reason: string): void {
    for (const session of this.#sessions) session.close(CloseCode.policyViolation, reason);
  }

  /** Lets requests in flight finish, then says goodbye (1001), each within its limit. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.release('the connector is shutting down');
    for (const session of this.#sessions) session.terminate();
  }

  /** The same for the sockets that are there now; others may come meanwhile and stay. */
  async release(reason: string): Promise<void> {
    const { clock, limits } = this.#parts;
    const sessions = [...this.#sessions];
    await within(clock, limits.drainMs, Promise.all(sessions.map((session) => session.drain())));
    for (const session of sessions) session.close(CloseCode.goingAway, reason);
    await within(clock, limits.closeMs, Promise.all(sessions.map((session) => session.closed)));
    for (const session of sessions) session.terminate();
  }

  #accept(request: IncomingMessage, socket: Duplex, head: Buffer, refuse: RefuseUpgrade): void {
    if (this.#closing) {
      refuse({ status: 503, code: 'shutting_down' });
      return;
    }
    const offered = request.headers['sec-websocket-protocol'];
    // A client that offers none gets in: leaving the header out says nothing about what it speaks.
    if (offered !== undefined && !names(offered).includes(DATA_PLANE_SUBPROTOCOL)) {
      refuse({ status: 400, code: 'subprotocol_not_supported', message: `offer ${DATA_PLANE_SUBPROTOCOL}` });
      return;
    }
    completeUpgrade(this.#server, { request, socket, head }, refuse, (ws) => {
      const { connector, delivery, files, options, limits, clock, log } = this.#parts;
      this.#lastLink += 1;
      const linkId = `${connector.name}/${this.#lastLink}`;
      const session = new DataPlaneSession({
        connector,
        delivery,
        files,
        transmissions: this.#transmissions,
        clock,
        log: log.child({ link: linkId }),
        linkId,
        ws,
        socket,
        limits: limits.dataPlane,
        helloTimeoutMs: options.helloTimeoutMs,
        pingIntervalMs: options.pingIntervalMs,
        closeMs: limits.closeMs,
      });
      this.#sessions.add(session);
      void session.closed.then(() => this.#sessions.delete(session));
    });
  }
}

function names(header: string): string[] {
  return header.split(',').map((name) => name.trim());
}
