/**
 * One connector's life: its identity and lease, accounts, channels, auth sessions, descriptors and tool calls.
 * `connector.ts` and `link.ts` are its face to the rooms above; `assembly.ts` wires the parts, `live-connector.ts` answers the packets.
 */
import type { ConnectorParts } from './assembly.js';
import type { Connector } from './connector.js';
import { LiveConnector } from './live-connector.js';

export type * from './agent-server-port.js';
export * from './connector.js';
export * from './link.js';
export type { ConnectorOptions, ConnectorParts } from './assembly.js';

/** Builds the connector of one chat network; nothing runs before its `start`. */
export function createConnector(parts: ConnectorParts): Connector {
  return new LiveConnector(parts);
}
