// npm run bench: what the running host costs, beside a bare server that does nothing but move the same bytes.
// Bounded in count and time, loopback only. Figures are for comparing builds on one machine, not machines.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { WebSocket, WebSocketServer } from 'ws';

const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const SUBPROTOCOL = 'xagent.connector.packet.v1';
const KEY = 'bench-key-on-loopback-only';
const WARM_UP = 200;
const PINGS = 2000;
const MESSAGES = 1000;
/** Messages under way at once in the throughput runs. */
const WINDOW = 32;

const folder = mkdtempSync(join(tmpdir(), 'xagent-connector-bench-'));
let host;
try {
  await bareServer();
  host = await startHost();
  const agent = await connectAgent(host.url);
  report('ping → pong', await pings(agent.socket, agent.packet('ping')));
  report('message of a person → agent → ack', await messages(agent));
  agent.socket.close();
} finally {
  host?.child.kill('SIGTERM');
  await host?.exited;
  rmSync(folder, { recursive: true, force: true });
}

async function bareServer() {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('connection', (socket) => socket.on('message', (data) => socket.send(data.toString())));
  await new Promise((resolve) => server.once('listening', resolve));
  const socket = new WebSocket(`ws://127.0.0.1:${server.address().port}`);
  await new Promise((resolve) => socket.once('open', resolve));
  report('bare echo (baseline)', await pings(socket, packetMaker()('ping')));
  socket.close();
  server.close();
}

/** One after the other for latency, then WINDOW at once for throughput. */
async function pings(socket, makePacket) {
  const next = answers(socket);
  const once = async () => {
    const began = performance.now();
    socket.send(makePacket());
    await next();
    return performance.now() - began;
  };
  for (let index = 0; index < WARM_UP; index += 1) await once();
  const latencies = [];
  for (let index = 0; index < PINGS; index += 1) latencies.push(await once());
  const began = performance.now();
  for (let sent = 0; sent < PINGS; sent += WINDOW) {
    for (let index = 0; index < WINDOW; index += 1) socket.send(makePacket());
    for (let index = 0; index < WINDOW; index += 1) await next();
  }
  return { latencies, perSecond: (Math.ceil(PINGS / WINDOW) * WINDOW * 1000) / (performance.now() - began) };
}

/** A person writes in the local chat: written durably, offered to the agent, acknowledged, the next one offered. */
async function messages(agent) {
  const control = await connectControl();
  const accountId = await agent.bindLocal();
  let arrived = () => undefined;
  agent.onMessage((packet) => {
    agent.ack(packet);
    arrived(packet.payload.text);
  });
  const send = (text) => control('local-send', { accountId, text });
  const once = async (text) => {
    const began = performance.now();
    const received = new Promise((resolve) => (arrived = (got) => got === text && resolve()));
    await send(text);
    await received;
    return performance.now() - began;
  };
  for (let index = 0; index < 50; index += 1) await once(`warm up ${index}`);
  const latencies = [];
  for (let index = 0; index < MESSAGES / 2; index += 1) latencies.push(await once(`one ${index}`));
  let count = 0;
  const all = new Promise((resolve) => (arrived = () => (count += 1) === MESSAGES && resolve()));
  const began = performance.now();
  for (let sent = 0; sent < MESSAGES;) {
    const batch = [];
    for (let index = 0; index < WINDOW && sent < MESSAGES; index += 1, sent += 1) batch.push(send(`many ${sent}`));
    await Promise.all(batch);
  }
  await all;
  const perSecond = (MESSAGES * 1000) / (performance.now() - began);
  control.close();
  return { latencies, perSecond };
}

async function startHost() {
  const config = join(folder, 'config.json');
  writeFileSync(
    config,
    JSON.stringify({
      server: { port: 0, apiKey: KEY },
      secrets: { store: 'file' },
      log: { level: 'warn' },
      connectors: { telegram: { enabled: false } },
    }),
  );
  const args = [CLI, 'serve', '--ready-json', '--config', config, '--data-dir', join(folder, 'data')];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, XAGENT_CONNECTOR_PASSPHRASE: 'bench' },
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const ready = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line)));
    child.once('exit', () => reject(new Error('the host ended before it was ready')));
  });
  return { child, exited, url: ready.url };
}

/** Just enough of an agent: hello, one channel, one sign-in, acks. */
async function connectAgent(url) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/local/ws`, SUBPROTOCOL, {
    headers: { authorization: `Bearer ${KEY}` },
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const make = packetMaker();
  const waiting = new Map();
  let onMessage = () => undefined;
  const packets = (data) => {
    const packet = JSON.parse(data.toString());
    if (packet.type === 'chat.message') onMessage(packet);
    waiting.get(packet.request_id)?.(packet);
  };
  const request = (type, payload, channel) =>
    new Promise((resolve) => {
      const text = make(type, payload, channel)();
      waiting.set(JSON.parse(text).request_id, resolve);
      socket.send(text);
    });
  socket.on('message', packets);
  await request('connector.hello', {
    connector_card_id: 'im.local',
    connector_id: '',
    protocol_version: '3.0',
    supported_profiles: ['xagent.im.v2'],
  });
  return {
    socket,
    packet: make,
    onMessage: (fn) => (onMessage = fn),
    ack: (packet) =>
      socket.send(
        make(
          'chat.message.ack',
          { message_id: packet.payload.message_id, status: 'accepted' },
          packet.connector_channel_id,
          packet.packet_id,
        )(),
      ),
    async bindLocal() {
      const opened = await request('channel.open', {}, '');
      const channel = opened.payload.connector_channel_id;
      let ack = await request('auth.start', { flow_id: 'local_pairing', input: { display_name: 'Bench' } }, channel);
      while (ack.payload.status === 'pending') {
        ack = await request('auth.status', { auth_session_id: ack.payload.auth_session_id }, channel);
      }
      const response = await fetch(`${url}/status`, { headers: { authorization: `Bearer ${KEY}` } });
      const { connectors } = await response.json();
      const local = connectors.find((connector) => connector.connector_card_id === 'im.local');
      return local.channels.find((item) => item.connector_channel_id === channel).account_id;
    },
  };
}

function packetMaker() {
  let number = 0;
  return (type, payload = {}, channel, replyTo) =>
    () => {
      number += 1;
      return JSON.stringify({
        schema: 'xagent.connector.packet/v1',
        packet_id: `p${number}`,
        request_id: `r${number}`,
        ...(replyTo === undefined ? {} : { reply_to: replyTo }),
        ...(channel === undefined ? {} : { connector_channel_id: channel }),
        type,
        time: Date.now(),
        payload,
      });
    };
}

/** A function that waits for the next message of a socket. */
function answers(socket) {
  const arrived = [];
  const waiting = [];
  socket.on('message', (data) => {
    const waiter = waiting.shift();
    if (waiter) waiter(data);
    else arrived.push(data);
  });
  return () =>
    arrived.length > 0 ? Promise.resolve(arrived.shift()) : new Promise((resolve) => waiting.push(resolve));
}

async function connectControl() {
  const socket = createConnection(join(folder, 'data', 'control.sock'));
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  const waiting = new Map();
  createInterface({ input: socket }).on('line', (line) => {
    const { id, result, error } = JSON.parse(line);
    const waiter = waiting.get(id);
    waiting.delete(id);
    if (error) waiter?.reject(new Error(error.message));
    else waiter?.resolve(result);
  });
  let id = 0;
  const command = (name, params) =>
    new Promise((resolve, reject) => {
      id += 1;
      waiting.set(id, { resolve, reject });
      socket.write(`${JSON.stringify({ id, command: name, params })}\n`);
    });
  command.close = () => socket.destroy();
  return command;
}

function report(name, { latencies, perSecond }) {
  const sorted = [...latencies].sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(2);
  console.log(
    `${name.padEnd(36)} p50 ${at(0.5)} ms  p99 ${at(0.99)} ms  ${Math.round(perSecond)}/s (${WINDOW} at once, n=${latencies.length})`,
  );
}
