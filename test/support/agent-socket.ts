import WebSocket from 'ws';
import type { AgentOptions } from './agent-options.js';
import { within } from './deadline.js';

const SUBPROTOCOL = 'xagent.connector.packet.v1';

/** Opens a data-plane socket; rejects with the HTTP status when the upgrade is refused. */
export async function openSocket(options: AgentOptions): Promise<WebSocket> {
  const url = `${options.baseUrl.replace(/^http/, 'ws')}/ws`;
  const socket = new WebSocket(url, [...(options.subprotocols ?? [SUBPROTOCOL])], {
    headers: { ...authorization(options.apiKey), ...options.headers },
    autoPong: options.autoPong ?? true,
    perMessageDeflate: false,
  });
  const opened = new Promise<WebSocket>((resolve, reject) => {
    socket.once('open', () => resolve(socket));
    socket.once('error', reject);
    socket.once('unexpected-response', (_request, response) => {
      response.resume();
      reject(new UpgradeRefused(response.statusCode ?? 0));
      socket.terminate();
    });
  });
  return within(opened, 'WebSocket to open');
}

export class UpgradeRefused extends Error {
  override readonly name = 'UpgradeRefused';
  constructor(readonly status: number) {
    super(`upgrade refused with ${status}`);
  }
}

export function authorization(apiKey: string | undefined): Record<string, string> {
  return apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
}
