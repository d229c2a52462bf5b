import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { AgentCard, Message, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from '@a2a-js/sdk';
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  ServerCallContext,
} from '@a2a-js/sdk/server';
import { a2aV1RequestFromEnvelope, responsesFromA2aV1Event, type JsonObject } from '../../../src/e2a/index.js';
import { answerTo, type AgentPeer } from './peer.js';

/** An A2A 1.0 agent of the official library: a task that works, grows an artifact in two pieces, and completes. */
export async function startA2aAgent(): Promise<AgentPeer> {
  const heard: string[] = [];
  const server = createServer((request, response) => void serve(request, response, transport)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
  const card = AgentCard.fromJSON({
    name: 'test agent',
    version: '1',
    capabilities: { streaming: true },
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
  });
  const transport = new JsonRpcTransportHandler(
    new DefaultRequestHandler(card, new InMemoryTaskStore(), executor(heard)),
  );
  return {
    heard,
    async ask(envelope, answer) {
      const place = { request_id: String(envelope['request_id']), sequence: 0 };
      const params = a2aV1RequestFromEnvelope(envelope);
      const call = { jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage', params };
      for await (const event of events(url, call)) {
        for (const response of responsesFromA2aV1Event(event, place)) {
          place.sequence = response.sequence + 1;
          answer(response);
        }
      }
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function executor(heard: string[]): AgentExecutor {
  return {
    execute: (context, bus) => {
      const { taskId, contextId } = context;
      const ids = { taskId, contextId };
      const question = String((Message.toJSON(context.userMessage) as { parts: { text: string }[] }).parts[0]?.text);
      heard.push(question);
      const state = (name: string) => ({ state: name });
      bus.publish(AgentEvent.task(Task.fromJSON({ id: taskId, contextId, status: state('TASK_STATE_SUBMITTED') })));
      bus.publish(
        AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON({ ...ids, status: state('TASK_STATE_WORKING') })),
      );
      for (const [index, piece] of answerTo(question).entries()) {
        const artifact = { artifactId: 'answer', parts: [{ text: piece }] };
        const update = { ...ids, artifact, append: index > 0, lastChunk: index > 0 };
        bus.publish(AgentEvent.artifactUpdate(TaskArtifactUpdateEvent.fromJSON(update)));
      }
      bus.publish(
        AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON({ ...ids, status: state('TASK_STATE_COMPLETED') })),
      );
      bus.finished();
      return Promise.resolve();
    },
    cancelTask: () => Promise.resolve(),
  };
}

/** The library's JSON-RPC transport over plain HTTP, streams as server-sent events. */
async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  transport: JsonRpcTransportHandler,
): Promise<void> {
  const context = new ServerCallContext({ requestedVersion: String(request.headers['a2a-version']) });
  const answer = await transport.handle(await text(request), context);
  if (!(Symbol.asyncIterator in answer)) {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
    return;
  }
  response.setHeader('content-type', 'text/event-stream');
  for await (const event of answer) response.write(`data: ${JSON.stringify(event)}\n\n`);
  response.end();
}

/** What a streaming call answers, event by event. */
async function* events(url: string, call: JsonObject): AsyncGenerator<JsonObject> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'A2A-Version': '1.0' },
    body: JSON.stringify(call),
  });
  if (!response.body) throw new Error('no answer');
  for await (const line of createInterface({ input: Readable.from(response.body as AsyncIterable<Uint8Array>) })) {
    if (!line.startsWith('data:')) continue;
    const message = JSON.parse(line.slice('data:'.length)) as { result?: JsonObject; error?: unknown };
    if (!message.result) throw new Error(JSON.stringify(message.error));
    yield message.result;
  }
}
