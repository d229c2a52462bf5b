/** Version facts of the wire contract; no other module knows them. Source: Connector protocol 3.0, sections 1 and 12. */
export const PROTOCOL_VERSION = '3.0';
export const CARD_SCHEMA = 'xagent.connector/v1';
export const DESCRIPTOR_SCHEMA = 'xagent.connection/v2';
export const PACKET_SCHEMA = 'xagent.connector.packet/v1';
export const DATA_PLANE_SUBPROTOCOL = 'xagent.connector.packet.v1';
export const IM_V1 = 'xagent.im.v1';
export const IM_V2 = 'xagent.im.v2';
export type ImProfile = typeof IM_V1 | typeof IM_V2;

/** A version that omits itself parses as this (section 8.2), which is below the admission floor. */
const OMITTED_VERSION = '1.0';

/**
 * Whether a peer's version may connect: at or above ours, compared as numbers (3.10 is above 3.9). Section 8.1.
 * A higher version is accepted, because hello does not negotiate; an unreadable one is not.
 */
export function isAdmittedVersion(version: unknown): boolean {
  const peer = parseVersion(version === undefined || version === null || version === '' ? OMITTED_VERSION : version);
  const own = parseVersion(PROTOCOL_VERSION);
  if (!peer || !own) return false;
  return peer.major > own.major || (peer.major === own.major && peer.minor >= own.minor);
}

function parseVersion(version: unknown): { major: number; minor: number } | undefined {
  if (typeof version !== 'string') return undefined;
  const match = /^(\d{1,6})\.(\d{1,6})$/.exec(version);
  return match ? { major: Number(match[1]), minor: Number(match[2]) } : undefined;
}
