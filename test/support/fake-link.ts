import type { DataPlaneLink } from '../../src/connector/link.js';
import type { OfferedMessage, Upstream } from '../../src/delivery/delivery.js';
import type { ConnectionDescriptor } from '../../src/protocol/index.js';

let count = 0;

/** A hello'd data-plane socket that records what a connector sends over it. */
export class FakeLink implements DataPlaneLink {
  readonly linkId: string;
  profiles: readonly string[] = [];
  open = true;
  readonly pushes: { readonly channelId: string; readonly descriptor: ConnectionDescriptor }[] = [];
  readonly offered: { readonly channelId: string; readonly message: OfferedMessage }[] = [];

  constructor(linkId?: string) {
    count += 1;
    this.linkId = linkId ?? `link_${count}`;
  }

  pushDescriptor(channelId: string, descriptor: ConnectionDescriptor): void {
    this.pushes.push({ channelId, descriptor });
  }

  upstream(channelId: string): Upstream {
    return new FakeUpstream(this, channelId);
  }

  /** The states pushed for a channel so far, oldest first. */
  pushedStates(channelId: string): string[] {
    return this.pushes.filter((push) => push.channelId === channelId).map((push) => push.descriptor.connection.status);
  }
}

/** The upstream of one channel over one {@link FakeLink}, so that a test can tell where a route leads. */
export class FakeUpstream implements Upstream {
  readonly kind = 'xagent';
  constructor(
    readonly link: FakeLink,
    readonly channelId: string,
  ) {}

  transmit(message: OfferedMessage): Promise<'sent'> {
    this.link.offered.push({ channelId: this.channelId, message });
    return Promise.resolve('sent');
  }
}
