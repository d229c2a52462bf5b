import {
  AuthCancelPayload,
  AuthStartPayload,
  AuthStatusPayload,
  ToolInvokePayload,
  checker,
} from '../../protocol/index.js';
import type { PacketHandler } from './packet-handler.js';
import { ackType, requireChannel, type Reply } from './packet-handler.js';

const checkAuthStart = checker(AuthStartPayload, 'auth.start payload');
const checkAuthStatus = checker(AuthStatusPayload, 'auth.status payload');
const checkAuthCancel = checker(AuthCancelPayload, 'auth.cancel payload');
const checkToolInvoke = checker(ToolInvokePayload, 'tool.invoke payload');

/** The requests of protocol 3.0 section 8 after hello; each has exactly one ack. */
export const requestHandlers: Readonly<Record<string, PacketHandler>> = {
  ping: () => PONG,

  async 'channel.open'({ connector, link }, packet) {
    const opened = await connector.openChannel(link, packet.channelId ?? '');
    return { type: ackType(packet.type), channelId: opened.connector_channel_id, payload: opened };
  },

  async 'channel.close'({ connector, link }, packet) {
    return ack(packet.type, await connector.closeChannel(link, requireChannel(packet)));
  },

  async 'auth.start'({ connector, link }, packet) {
    const channelId = requireChannel(packet);
    return ack(packet.type, await connector.authStart(link, channelId, checkAuthStart(packet.payload)));
  },

  async 'auth.status'({ connector, link }, packet) {
    const channelId = requireChannel(packet);
    return ack(packet.type, await connector.authStatus(link, channelId, checkAuthStatus(packet.payload)));
  },

  async 'auth.cancel'({ connector, link }, packet) {
    const channelId = requireChannel(packet);
    return ack(packet.type, await connector.authCancel(link, channelId, checkAuthCancel(packet.payload)));
  },

  async 'auth.logout'({ connector, link }, packet) {
    return ack(packet.type, await connector.authLogout(link, requireChannel(packet)));
  },

  'connection.descriptor.get'({ connector, link }, packet) {
    return ack(packet.type, { connection_descriptor: connector.descriptor(link, requireChannel(packet)) });
  },

  async 'tool.invoke'({ connector, link }, packet) {
    const channelId = requireChannel(packet);
    const call = checkToolInvoke(packet.payload);
    return ack(packet.type, await connector.invokeTool(link, channelId, packet.requestId, call));
  },
};

const PONG: Reply = { type: 'pong' };

function ack(type: string, payload: object): Reply {
  return { type: ackType(type), payload };
}
