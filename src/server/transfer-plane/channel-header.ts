import type { IncomingMessage } from 'node:http';

/** Names the channel a file belongs to (sections 5.1 and 5.2), as Node spells header names. */
const CHANNEL_HEADER = 'x-xagent-connector-channel-id';

/** The channel named by a transfer-plane request; undefined when the header is missing or empty. */
export function channelOf(request: IncomingMessage): string | undefined {
  const value = request.headers[CHANNEL_HEADER];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
