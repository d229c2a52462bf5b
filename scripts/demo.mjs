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

/** Who takes part, for somebody who has read nothing yet. */
const CAST = `The whole way of a message, on this machine alone: no account is needed and nothing leaves it.

    Telegram  an emulated one
    host      this program, as "node dist/cli.js serve" runs it
    agent     a small one, in the place of xAgent
    Kim       who writes to the bot; what the chat shows is marked ✉, and ✎ where a message changes`;

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

  console.log(CAST);
  part('Getting ready');
  const chat = new Chat();
  const telegram = await startTelegramServer({
    host: '127.0.0.1',
    port: 0,
    recorderPath: join(dir, 'telegram.jsonl'),
    onEvent: (event) => chat.observe(event),
  });
  cleanups.push(() => telegram.close());
  step('Telegram', `stands at ${telegram.manifest.endpoints.apiRoot}`);

  const host = await startHost(dir, telegram.manifest.endpoints.apiRoot);
  step('host', `offers it to agents at ${host.baseUrl}, the base URL`);

  const agent = await Agent.connect(host.baseUrl);
  cleanups.push(() => agent.close());
  const channel = await agent.openChannel();
  step('agent', 'reads the card there, connects with the API key, says hello and opens a channel');

  part('Signing in');
  const started = await agent.request('auth.start', channel, {
    flow_id: CHANNEL_FLOW,
    input: { bot_token: telegram.manifest.botToken },
  });
  const link = new URL(started.payload.qr_code_text);
  step('agent', `hands in the bot's token; Kim is shown a link: ${link.origin}${link.pathname}?start=…`);

  step('Kim', 'opens the link and presses Start');
  await personWrites(telegram, `/start ${link.searchParams.get('start')}`);
  await chat.until((event) => event.kind === 'message');
  await agent.until(
    (packet) =>
      packet.type === 'connection.descriptor.push' &&
      packet.connector_channel_id === channel &&
      packet.payload.connection_descriptor.connection.status === 'connected',
  );
  step('host', 'knows whose chat it is now, and tells the agent: connected');

  part('A message and its answer');
  const question = 'What is the answer to everything?';
  step('Kim', `writes: ${question}`);
  await personWrites(telegram, question);
  const incoming = await agent.until((packet) => packet.type === 'chat.message' && packet.payload.text === question);
  agent.send(
    'chat.message.ack',
    channel,
    { message_id: incoming.payload.message_id, status: 'accepted' },
    incoming.packet_id,
  );
  step('agent', 'receives it as chat.message and acknowledges it; until then the host kept it on disk');

  agent.send('chat.activity', channel, { status: 'tool', tool_name: 'deep_thought' });
  await chat.until((event) => event.kind === 'typing');
  step('agent', 'is at work (chat.activity); Kim sees that it is typing');

  step('agent', 'answers piece by piece (chat.message.delta); Kim sees one message grow');
  const answer = await streamAnswer(agent, channel);
  if (answer.ack.payload.status !== 'accepted') throw new Error('the final message was not accepted');
  step('agent', 'closes with the whole answer (chat.message); the host says that it is delivered');

  const copies = [...chat.messages.values()].filter((text) => text.startsWith(answer.pieces[0].trim()));
  if (copies.length !== 1 || copies[0] !== answer.text)
    throw new Error('the person does not see exactly the final answer');
  step('Kim', 'has it in the chat, once and whole');

  await host.stop();
  step('host', 'stops in good order');
}

/** Streams an answer: deltas as they come to mind, then the final message, which alone counts. */
async function streamAnswer(agent, channel) {
  const messageId = `assistant_${Date.now()}`;
  const pieces = ['The answer ', 'to everything ', 'is, as far ', 'as is known, ', 'forty-two.'];
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
      const shown = this.messages.get(this.#nextId);
      this.messages.set(this.#nextId, String(body.text));
      // The final message confirms what the last piece made of it: nobody sees a change then.
      if (shown !== body.text) this.#happened({ kind: 'edit', text: body.text });
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
    if (event.text !== undefined)
      console.log(`${' '.repeat(14)}${event.kind === 'edit' ? '✎' : '✉'} ${event.text.trimEnd()}`);
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

function part(title) {
  console.log(`\n${title}`);
}

function step(who, what) {
  steps.count += 1;
  console.log(`${String(steps.count).padStart(2)}. ${who.padEnd(9)} ${what}`);
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
  console.log(`\nDone in ${((performance.now() - began) / 1000).toFixed(1)} s. With an account of yours: npm start`);
} catch (error) {
  await fail(error);
}
