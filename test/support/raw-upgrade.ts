/** A WebSocket upgrade as bytes, with exactly these headers beside the handshake's own. */
export function upgradeRequest(path: string, headers: readonly string[]): string {
  const lines = [
    ...headers,
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ];
  return `GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}
