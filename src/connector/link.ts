import type { ConnectionDescriptor } from '../protocol/index.js';
import type { Upstream } from '../delivery/delivery.js';

/** One hello'd data-plane socket, as a connector sees it. */
export interface DataPlaneLink {
  readonly linkId: string;
  /** Profiles enabled on this link: card ∩ hello (section 8.1); empty before hello. Set by the connector's hello. */
  profiles: readonly string[];
  /** Sends `connection.descriptor.push`; lost silently when the socket is gone. */
  pushDescriptor(channelId: string, descriptor: ConnectionDescriptor): void;
  /** An upstream that sends `chat.message` (or `message.push`) packets of this channel over this socket. */
  upstream(channelId: string): Upstream;
  readonly open: boolean;
}
