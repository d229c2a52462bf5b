import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { Readable, Writable } from 'node:stream';
import { agent, methods, ndJsonStream } from '@agentclientprotocol/sdk';
import { acpV1CallFromEnvelope, responseFromAcpV1Message, type JsonObject } from '../../../src/e2a/index.js';
import { answerTo, type AgentPeer } from './peer.js';

const SESSION = 'acp-session-1';

/** An ACP v1 agent of the official library: it thinks, answers in two pieces, and ends its turn. */
export async function startAcpAgent(): Promise<AgentPeer> {
  const heard: string[] = [];
  const server = createServer((socket) => serve(socket, heard)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  const client = new Client(socket);
  await client.call('initialize', { protocolVersion: 1, clientCapabilities: {} });
  await client.call('session/new', { cwd: '/', mcpServers: [] });
  return {
    heard,
    async ask(envelope, answer) {
      const place = { request_id: String(envelope['request_id']), session_id: SESSION, sequence: 0 };
      const call = acpV1CallFromEnvelope({ ...envelope, session_id: SESSION });
      await client.send({ ...call }, (message) => {
        const response = responseFromAcpV1Message(message, place);
        if (!response) return false;
        place.sequence += 1;
        answer(response);
        return response.is_final;
      });
    },
    async close() {
      socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function serve(socket: Socket, heard: string[]): void {
  socket.on('error', () => undefined);
  agent({ name: 'test agent' })
    .onRequest(methods.agent.initialize, () => ({ protocolVersion: 1, agentCapabilities: {} }))
    .onRequest(methods.agent.session.new, () => ({ sessionId: SESSION }))
    .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
      const question = params.prompt.map((block) => (block.type === 'text' ? block.text : '')).join('');
      heard.push(question);
      const say = (sessionUpdate: 'agent_thought_chunk' | 'agent_message_chunk', text: string) =>
        client.notify(methods.client.session.update, {
          sessionId: params.sessionId,
          update: { sessionUpdate, content: { type: 'text', text } },
        });
      await say('agent_thought_chunk', 'hm');
      for (const piece of answerTo(question)) await say('agent_message_chunk', piece);
      return { stopReason: 'end_turn' };
    })
    .connect(ndJsonStream(Writable.toWeb(socket), Readable.toWeb(socket) as ReadableStream<Uint8Array>));
}

/** A JSON-RPC client, one message a line. */
class Client {
  readonly #socket: Socket;
  #listener: (message: JsonObject) => void = () => undefined;
  #id = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('error', () => undefined);
    createInterface({ input: socket }).on('line', (line) => this.#listener(JSON.parse(line) as JsonObject));
  }

  async call(method: string, params: JsonObject): Promise<void> {
    const id = ++this.#id;
    await this.send({ jsonrpc: '2.0', id, method, params }, (message) => message['id'] === id);
  }

  /** Sends one message; resolves when `isLast` says so of one that came back. */
  send(message: JsonObject, isLast: (message: JsonObject) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#listener = (answer) => {
        if (answer['error'] !== undefined) reject(new Error(JSON.stringify(answer['error'])));
        else if (isLast(answer)) resolve();
      };
      this.#socket.write(`${JSON.stringify(message)}\n`);
    });
  }
}
