// The whole product in one run, on loopback alone: a host process, an emulated Telegram, and a small agent.
// A person writes to a bot; the agent answers in pieces; the person sees one message grow. `npm run demo`.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startTelegramServer } from '@openclaw/crabline';
import WebSocket from 'ws';

const CLI = join(fileURLToPath(new URL('..', import.meta.url)), 'dist', 'cli.js');
/** The demo gives up after this; it takes a few seconds, most of them so that the answer can be watched growing. */
const DEADLINE_MS = 60_000;
/** Between two pieces of the streamed answer, so that growth can be watched (Telegram takes about one edit a second). */
const PIECE_EVERY_MS = 1_100;
const API_KEY = 'demo-key-for-loopback-only-0123456789';
const PERSON = { chatId: 100001, fromId: 100001, fromName: 'Kim' };
const CHANNEL_FLOW = 'telegram_bot_binding';

const began = performance.now();
const steps = { count: 0 };
const cleanups = [];

const deadline = setTimeout(
  () => fail(new Error(`the demo did not finish within ${DEADLINE_MS / 1000} s`)),
  DEADLINE_MS,
);

async function demo() {
  const dir = await mkdtemp(join(tmpdir(), 'xagent-demo-'));
  cleanups.push(() => rm(dir, { recursive: true, force: true }));

  const chat = new Chat();
  const telegram = await startTelegramServer({
    host: '127.0.0.1',
    port: 0,
    recorderPath: join(dir, 'telegram.jsonl'),
    onEvent: (event) => chat.observe(event),
  });
  cleanups.push(() => telegram.close());
  step('Telegram', `an emulated Bot API listens on ${telegram.manifest.endpoints.apiRoot}`);

  const host = await startHost(dir, telegram.manifest.endpoints.apiRoot);
  step('host', `the connector host is ready: ${host.baseUrl}`);

  const agent = await Agent.connect(host.baseUrl);
  cleanups.push(() => agent.close());
  step('agent', `read the card of ${agent.card.connector_card_id}, opened the data plane, said hello`);

  const channel = await agent.openChannel();
  step('agent', `opened channel ${channel}`);

  const started = await agent.request('auth.start', channel, {
    flow_id: CHANNEL_FLOW,
    input: { bot_token: telegram.manifest.botToken },
  });
  const link = started.payload.qr_code_text;
  step('agent', `asked to bind a bot; the person is shown ${new URL(link).origin}${new URL(link).pathname}?start=…`);

  await personWrites(telegram, `/start ${new URL(link).searchParams.get('start')}`);
  step('person', 'opened the link and pressed Start');
  await agent.until(
    (packet) =>
      packet.type === 'connection.descriptor.push' &&
      packet.connector_channel_id === channel &&
      packet.payload.connection_descriptor.connection.status === 'connected',
  );
  step('host', 'the bot is bound: connection.descriptor.push says connected');

  const question = 'What is the answer to everything?';
  await personWrites(telegram, question);
  step('person', `“${question}”`);

  const incoming = await agent.until((packet) => packet.type === 'chat.message' && packet.payload.text === question);
  agent.send(
    'chat.message.ack',
    channel,
    { message_id: incoming.payload.message_id, status: 'accepted' },
    incoming.packet_id,
  );
  step('agent', `received chat.message ${incoming.payload.message_id} and acknowledged it`);

  agent.send('chat.activity', channel, { status: 'tool', tool_name: 'deep_thought' });
  await chat.until((event) => event.kind === 'typing');
  step('person', 'sees that the agent is typing');

  const answer = await streamAnswer(agent, channel);
  step(
    'agent',
    `sent ${answer.pieces.length} deltas and the final chat.message; acknowledged: ${answer.ack.payload.status}`,
  );

  const copies = [...chat.messages.values()].filter((text) => text.startsWith(answer.pieces[0].trim()));
  if (answer.ack.payload.status !== 'accepted') throw new Error('the final message was not accepted');
  if (copies.length !== 1 || copies[0] !== answer.text)
    throw new Error('the person does not see exactly the final answer');
  step('person', `sees one message: “${copies[0]}”`);

  await host.stop();
  step('host', 'stopped in good order');
}

/** Streams an answer: deltas as they come to mind, then the final message, which alone counts. */
async function streamAnswer(agent, channel) {
  const messageId = `assistant_${Date.now()}`;
  const pieces = ['The answer ', 'to everything ', 'is forty-two.'];
  for (const [index, text] of pieces.entries()) {
    agent.send('chat.message.delta', channel, { message_id: messageId, sequence: index + 1, text });
    await new Promise((resolve) => setTimeout(resolve, PIECE_EVERY_MS));
  }
  const text = pieces.join('');
  const sent = agent.send('chat.message', channel, { message_id: messageId, text, created_at: Date.now() });
  const ack = await agent.until((packet) => packet.reply_to === sent.packet_id);
  return { pieces, text, ack };
}

async function startHost(dir, apiRoot) {
  const config = join(dir, 'config.json');
  await writeFile(
    config,
    JSON.stringify({
      server: { port: 0, apiKey: API_KEY },
      secrets: { store: 'file' },
      connectors: { telegram: { apiRoot } },
    }),
  );
  const child = spawn(
    process.execPath,
    [CLI, 'serve', '--ready-json', '--config', config, '--data-dir', join(dir, 'data')],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, XAGENT_CONNECTOR_PASSPHRASE: 'demo' },
    },
  );
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (chunk) => (log += chunk));
  const exited = new Promise((resolve) => child.on('exit', resolve));
  const stop = async () => {
    child.kill('SIGTERM');
    const code = await exited;
    if (code !== 0) throw new Error(`the host ended with ${code}\n${log}`);
  };
  cleanups.push(() => (child.exitCode === null ? (child.kill('SIGKILL'), exited) : undefined));
  const line = await Promise.race([
    new Promise((resolve) => createInterface({ input: child.stdout }).once('line', resolve)),
    exited.then((code) => {
      throw new Error(`the host ended with ${code}\n${log}`);
    }),
  ]);
  const { connectors } = JSON.parse(line);
  return { baseUrl: connectors.find((c) => c.connector_card_id === 'im.telegram').base_url, stop };
}

async function personWrites(telegram, text) {
  const answer = await fetch(telegram.manifest.endpoints.adminInboundUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-crabline-admin-token': telegram.manifest.adminToken },
    body: JSON.stringify({ ...PERSON, chatType: 'private', text }),
  });
  if (!answer.ok) throw new Error(`the emulated Telegram refused the person's message (${answer.status})`);
}

/** What the person sees, pieced together from the calls the bot makes. */
class Chat {
  messages = new Map();
  #events = [];
  #wakers = new Set();
  #nextId = 0;

  observe(event) {
    const method = event.path.split('/').pop().toLowerCase();
    const body = event.body ?? {};
    if (method === 'sendchataction') this.#happened({ kind: 'typing' });
    if (method === 'sendmessage') {
      // Ids are not part of an event; a chat with one bot counts up, and an edit names the newest answer.
      this.messages.set(++this.#nextId, String(body.text));
      this.#happened({ kind: 'message', text: body.text });
    }
    if (method === 'editmessagetext') {
      this.messages.set(this.#nextId, String(body.text));
      this.#happened({ kind: 'edit', text: body.text });
    }
  }

  until(match) {
    return new Promise((resolve) => {
      const look = () => {
        const found = this.#events.find(match);
        if (found) resolve(found);
        else this.#wakers.add(look);
      };
      look();
    });
  }

  #happened(event) {
    this.#events.push(event);
    if (event.text !== undefined) console.log(`           ${event.kind === 'edit' ? '✎' : '✉'} ${event.text}`);
    const wakers = [...this.#wakers];
    this.#wakers.clear();
    for (const look of wakers) look();
  }
}

/** As much of an xAgent as a demo needs (Connector protocol 3.0, IM Profile v2). */
class Agent {
  #socket;
  #received = [];
  #wakers = new Set();
  #counter = 0;

  static async connect(baseUrl) {
    const agent = new Agent();
    agent.card = await (await fetch(`${baseUrl}/connector-card.json`)).json();
    agent.#socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/ws`, ['xagent.connector.packet.v1'], {
      headers: { authorization: `Bearer ${API_KEY}` },
    });
    agent.#socket.on('message', (data) => agent.#receive(JSON.parse(data.toString())));
    await new Promise((resolve, reject) => agent.#socket.once('open', resolve).once('error', reject));
    await agent.request('connector.hello', undefined, {
      connector_card_id: agent.card.connector_card_id,
      connector_id: '',
      protocol_version: '3.0',
      supported_profiles: ['xagent.im.v2'],
    });
    return agent;
  }

  async openChannel() {
    return (await this.request('channel.open', '', {})).payload.connector_channel_id;
  }

  async request(type, channel, payload) {
    const sent = this.send(type, channel, payload);
    const answer = await this.until((packet) => packet.reply_to === sent.packet_id);
    if (answer.error) throw new Error(`${type}: ${answer.error.code}: ${answer.error.message}`);
    return answer;
  }

  send(type, channel, payload, replyTo) {
    this.#counter += 1;
    const packet = {
      schema: 'xagent.connector.packet/v1',
      packet_id: `pkt_${this.#counter}`,
      request_id: `req_${this.#counter}`,
      ...(replyTo ? { reply_to: replyTo } : {}),
      ...(channel === undefined ? {} : { connector_channel_id: channel }),
      type,
      time: Date.now(),
      payload,
    };
    this.#socket.send(JSON.stringify(packet));
    return packet;
  }

  until(match) {
    return new Promise((resolve) => {
      const look = () => {
        const found = this.#received.find(match);
        if (found) resolve(found);
        else this.#wakers.add(look);
      };
      look();
    });
  }

  close() {
    this.#socket.close();
  }

  #receive(packet) {
    this.#received.push(packet);
    const wakers = [...this.#wakers];
    this.#wakers.clear();
    for (const look of wakers) look();
  }
}

function step(who, what) {
  steps.count += 1;
  console.log(`${String(steps.count).padStart(2)}. ${who.padEnd(8)} ${what}`);
}

async function cleanUp() {
  for (const undo of cleanups.reverse()) await undo();
}

async function fail(error) {
  console.error(`\nThe demo failed: ${error.message}`);
  await cleanUp().catch(() => undefined);
  process.exit(1);
}

try {
  await demo();
  clearTimeout(deadline);
  await cleanUp();
  console.log(`\nDone in ${((performance.now() - began) / 1000).toFixed(1)} s.`);
} catch (error) {
  await fail(error);
}
