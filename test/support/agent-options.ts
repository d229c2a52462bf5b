import type { WirePacket } from './wire-rules.js';

/** What an agent does with a complete message it is sent (IM Profile v2 section 7). */
export type AckBehaviour =
  | { readonly kind: 'accept' }
  | { readonly kind: 'reject'; readonly retryable: boolean; readonly code: string }
  | { readonly kind: 'silent' }
  | { readonly kind: 'disconnect' }
  | { readonly kind: 'twice' }
  | { readonly kind: 'wrong'; readonly wrong: 'reply_to' | 'message_id' | 'channel' };

export interface AgentOptions {
  /** Connector Base URL, with its path prefix. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** As remembered from an earlier hello; empty at the first. */
  readonly connectorId?: string;
  readonly profiles?: readonly string[];
  readonly version?: string;
  /** False: the socket opens and says nothing. */
  readonly hello?: boolean;
  readonly subprotocols?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Asked for each complete message received; accepts by default, and says `duplicate` to what it already has. */
  readonly ack?: (message: ReceivedMessage) => AckBehaviour;
  /** What this agent remembers of an earlier life: messages it already accepted. */
  readonly memory?: AgentMemory;
  /** False: the socket does not answer WebSocket pings, as a half-open one. */
  readonly autoPong?: boolean;
}

/** Survives a crash of the agent, as xAgent's own database would. */
export class AgentMemory {
  readonly accepted = new Set<string>();
  /** Texts in the order they were first accepted. */
  readonly texts: string[] = [];
}

export interface ReceivedMessage {
  readonly packet: WirePacket;
  readonly messageId: string;
  readonly text: string;
  readonly files: Record<string, unknown>[];
  readonly at: number;
}
