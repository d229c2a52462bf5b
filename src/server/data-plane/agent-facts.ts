import { firstCharacters } from '../../delivery/characters.js';
import type { HelloPayload } from '../../protocol/index.js';
import { isRecord } from '../../targets/json-fields.js';

/** Longest name or version that is shown; characters. Enough for any product, short enough for a line. */
const MAX_CHARACTERS = 64;

/** Whoever stands at the other end of an open data plane, as it introduced itself. Times are Unix ms. */
export interface AgentFacts {
  /** Name of the connector it connected to. */
  readonly connector: string;
  /** Names its socket, as channels do that it opened. */
  readonly linkId: string;
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly protocolVersion: string;
  /** The profile enabled on this connection. */
  readonly profile: string;
  readonly connectedAt: number;
  readonly lastPacketAt: number;
}

export type Introduction = Pick<AgentFacts, 'name' | 'version' | 'protocolVersion'>;

/** What an accepted hello says of its sender. Control characters never reach a window or a log. */
export function introductionOf(hello: HelloPayload): Introduction {
  const client: unknown = hello.client;
  const { protocol_version: version } = hello;
  return {
    name: isRecord(client) ? shown(client['name']) : undefined,
    version: isRecord(client) ? shown(client['version']) : undefined,
    protocolVersion: shown(typeof version === 'number' ? String(version) : version) ?? '',
  };
}

function shown(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const clean = firstCharacters(value.replace(/\p{C}/gu, '').trim(), MAX_CHARACTERS);
  return clean === '' ? undefined : clean;
}
