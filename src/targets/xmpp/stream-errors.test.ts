import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/deadline.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { TargetRig, type OpenedAccount } from '../../../test/support/target-rig.js';
import { createXmppTarget } from './index.js';
import { NS } from './namespaces.js';

const servers: Server[] = [];
let rig: TargetRig | undefined;

afterEach(async () => {
  await rig?.close();
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

/** @param greeting what it writes as soon as a client has opened a stream */
async function serverThatSays(greeting: string): Promise<{ port: number; connections: () => number }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
    socket.once('data', () => {
      const header = `<stream:stream xmlns='jabber:client' xmlns:stream='${NS.streams}' version='1.0' from='chat.test' id='1'>`;
      socket.write(`<?xml version='1.0'?>${header}${greeting}`);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

const streamError = (condition: string): string => `<stream:error>${condition}</stream:error></stream:stream>`;

function openAt(port: number): OpenedAccount {
  rig = new TargetRig(createXmppTarget({ service: `xmpp://127.0.0.1:${String(port)}` }), new ManualClock());
  return rig.open('acc_1', {
    identity: 'x',
    displayName: 'x',
    accountHint: 'x',
    binding: { jid: 'agent@chat.test', peer: 'ada@chat.test' },
    credentials: { password: 'secret' },
  });
}

describe('a stream that the server ends with an error', () => {
  it.each([
    ['conflict', 'used_elsewhere'],
    ['host-unknown', 'host_unknown'],
    ['policy-violation', 'server_policy'],
    ['resource-constraint', 'server_busy'],
    ['system-shutdown', 'server_restarts'],
    ['undefined-condition', 'connection_lost'],
  ])('of %s is told as %s', async (condition, code) => {
    const { port } = await serverThatSays(streamError(`<${condition} xmlns='${NS.streamErrors}'/>`));
    const account = openAt(port);
    await eventually(() => account.state() === `offline:${code}`, `${code}, not ${account.state()}`);
  });

  it('is followed to no other host, whatever it names', async () => {
    const other = await serverThatSays('');
    const named = `<see-other-host xmlns='${NS.streamErrors}'>127.0.0.1:${String(other.port)}</see-other-host>`;
    const { port } = await serverThatSays(streamError(named));
    const account = openAt(port);
    await eventually(() => account.state() === 'offline:connection_lost', 'the line to be lost');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(other.connections()).toBe(0);
  });
});
