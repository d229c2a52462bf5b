import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { TestProxy } from '../../../test/support/test-proxy.js';
import { systemClock } from '../../base/clock.js';
import { WebSocketSocket } from './web-socket.js';

it('goes through the proxy that is named, and fails by its name when it is gone', async () => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, handleProtocols: () => 'xmpp' });
  await once(server, 'listening');
  server.on('connection', (client) => client.on('message', (words) => client.send(words)));
  const { port } = server.address() as AddressInfo;
  const proxy = await TestProxy.start('http', { hosts: { 'chat.test:80': port } });

  const socket = new WebSocketSocket(proxy.wayOut(systemClock));
  socket.connect('ws://chat.test/xmpp');
  await once(socket, 'connect');
  socket.write('<open/>', () => undefined);
  expect(String((await once(socket, 'data'))[0])).toBe('<open/>');
  expect(proxy.asked).toEqual(['chat.test:80']);

  await proxy.stop();
  const late = new WebSocketSocket(proxy.wayOut(systemClock));
  const failed = once(late, 'error');
  late.connect('ws://chat.test/xmpp');
  expect((await failed)[0]).toMatchObject({ code: 'proxy_unreachable', proxy: proxy.address });
  server.close();
});
