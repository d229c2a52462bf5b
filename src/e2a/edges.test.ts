import { describe, expect, it } from 'vitest';
import {
  A2aV1AnswerStream,
  a2aV1RequestFromEnvelope,
  acpV1CallFromEnvelope,
  AcpV1AnswerStream,
  buildResponse,
  E2AError,
  encodeAgentChunkForWire,
  envelopeFromA2aV1Request,
  envelopeFromAcpV1Call,
  envelopeToGatewayChat,
  isE2AEnvelope,
  type JsonObject,
  responseFromAcpV1Message,
  responsesFromA2aV1Event,
  responseViolations,
  taskStateV1,
} from './index.js';

const clock = { now: () => '2026-01-02T03:04:05+00:00' };
const question = { method: 'chat.send', request_id: 'q', session_id: 's', params: { query: 'why?', mode: 'agent' } };
const place = { request_id: 'q', session_id: 's', task_id: 't', context_id: 'c', sequence: 0 };

/** What an AgentServer sends for one event, in the order of its numbers. */
const frames = (...events: JsonObject[]): JsonObject[] =>
  events.map((payload, sequence) => ({
    ...encodeAgentChunkForWire(
      {
        chunk: { request_id: 'q', channel_id: 'c', payload, is_complete: payload['is_complete'] === true },
        response_id: 'q',
        sequence,
      },
      clock,
    ),
    session_id: 's',
    task_id: 't',
    context_id: 'c',
  }));

const answer = frames(
  { event_type: 'chat.reasoning', content: 'hm' },
  { event_type: 'chat.delta', content: 'be' },
  { event_type: 'chat.delta', content: 'cause' },
  { event_type: 'chat.final', content: 'because' },
  { is_complete: true },
);
const failure = frames(
  { event_type: 'chat.error', error: 'rate limited', error_type: 'RateLimitError' },
  { is_complete: true },
);

describe('towards an ACP v1 agent', () => {
  it('a question is a prompt with ACP’s keys and nothing of the Gateway’s', () => {
    expect(acpV1CallFromEnvelope(question)).toEqual({
      jsonrpc: '2.0',
      id: 'q',
      method: 'session/prompt',
      params: { sessionId: 's', prompt: [{ type: 'text', text: 'why?' }] },
    });
  });

  it('blocks go in ACP’s spelling, and a tool’s own input as it stands', () => {
    const prompt = [{ type: 'image', mime_type: 'image/png', data: '', _meta: { mime_type: 'mine' } }];
    const call = acpV1CallFromEnvelope({ ...question, method: 'session/prompt', params: { prompt } });
    expect(call.params['prompt']).toEqual([
      { type: 'image', mimeType: 'image/png', data: '', _meta: { mime_type: 'mine' } },
    ]);
  });

  it('an interrupt is a notification', () => {
    const call = acpV1CallFromEnvelope({ method: 'chat.interrupt', request_id: 'i', session_id: 's' });
    expect(call).toEqual({ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: 's' } });
  });

  it.each([
    ['a method ACP does not have', { method: 'history.get' }],
    ['a pause', { method: 'chat.interrupt', params: { intent: 'pause' } }],
    ['no session', { session_id: null }],
    ['no content', { params: {} }],
    ['no id', { request_id: null }],
  ])('nothing goes with %s', (_what, fields) => {
    expect(() => acpV1CallFromEnvelope({ ...question, ...fields })).toThrow(E2AError);
  });

  it('its updates and its result come back as responses of the specification', () => {
    const update = (fields: JsonObject) => ({ method: 'session/update', params: { sessionId: 's', update: fields } });
    const kinds = [
      update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'hm' } }),
      update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'because' } }),
      update({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'ls' }),
      { id: 'q', result: { stopReason: 'end_turn' } },
      { id: 'q', error: { code: -32000, message: 'no' } },
    ].map((message, sequence) => {
      const response = responseFromAcpV1Message(message, { ...place, sequence }, clock);
      expect(responseViolations(response)).toEqual([]);
      return response?.response_kind;
    });
    expect(kinds).toEqual(['e2a.chunk', 'e2a.chunk', 'acp.session_update', 'e2a.complete', 'e2a.error']);
  });

  it('what it asks of its client answers nothing', () => {
    expect(responseFromAcpV1Message({ id: 1, method: 'fs/read_text_file', params: {} }, place)).toBeNull();
  });
});

describe('towards an ACP v1 client', () => {
  const told = (responses: JsonObject[]) => {
    const stream = new AcpV1AnswerStream();
    return responses.flatMap((response) => stream.messages(response));
  };
  const updates = (responses: JsonObject[]) =>
    told(responses).flatMap(({ params }) =>
      params === undefined ? [] : [(params as JsonObject)['update'] as JsonObject],
    );

  it('an answer is told once, piece by piece, and ended', () => {
    expect(updates(answer).map((update) => [update['sessionUpdate'], update['content']])).toEqual([
      ['agent_thought_chunk', { type: 'text', text: 'hm' }],
      ['agent_message_chunk', { type: 'text', text: 'be' }],
      ['agent_message_chunk', { type: 'text', text: 'cause' }],
    ]);
    expect(told(answer).at(-1)).toEqual({ jsonrpc: '2.0', id: 'q', result: { stopReason: 'end_turn' } });
  });

  it('an answer without pieces is told whole', () => {
    const text = { type: 'text', text: 'because' };
    expect(updates(frames({ event_type: 'chat.final', content: 'because' }))).toMatchObject([{ content: text }]);
    expect(updates(frames({ content: 'because', is_complete: true }))).toMatchObject([{ content: text }]);
  });

  it('tools are told as calls and what became of them', () => {
    expect(
      updates(
        frames(
          {
            event_type: 'chat.tool_call',
            tool_call: { name: 'ls', arguments: { session_id: 'mine' }, tool_call_id: 't' },
          },
          { event_type: 'chat.tool_update', tool_call_id: 't' },
          { event_type: 'chat.tool_result', tool_call_id: 't', result: 'a.txt' },
          { event_type: 'chat.tool_result', tool_call_id: 't', error: 'no' },
        ),
      ),
    ).toMatchObject([
      { sessionUpdate: 'tool_call', toolCallId: 't', title: 'ls', rawInput: { session_id: 'mine' } },
      { sessionUpdate: 'tool_call_update', status: 'in_progress' },
      { sessionUpdate: 'tool_call_update', status: 'completed' },
      { sessionUpdate: 'tool_call_update', status: 'failed' },
    ]);
  });

  it('a todo list is a plan, and what v1 would refuse is left out', () => {
    const update = (body: JsonObject) => buildResponse({ session_id: 's', response_kind: 'acp.session_update', body });
    expect(updates([update({ sessionUpdate: 'todo_update', todos: [{ content: 'a', status: 'cancelled' }] })])).toEqual(
      [{ sessionUpdate: 'plan', entries: [{ content: 'a', priority: 'medium', status: 'pending' }] }],
    );
    expect(
      updates([update({ sessionUpdate: 'plan', plan: {} }), update({ sessionUpdate: 'usage_update', usage: {} })]),
    ).toEqual([]);
  });

  it('a run that failed midway ends in an error, though it ended its stream with a success', () => {
    expect(told(failure)).toMatchObject([{ id: 'q', error: { code: -32603, message: 'rate limited' } }]);
  });

  it('its calls become envelopes in E2A’s spelling', () => {
    const params = { sessionId: 's', prompt: [{ type: 'text', text: 'why?' }] };
    const envelope = envelopeFromAcpV1Call({ jsonrpc: '2.0', id: 3, method: 'session/prompt', params }, clock);
    expect(isE2AEnvelope(envelope)).toBe(true);
    expect(envelope).toMatchObject({ session_id: 's', jsonrpc_id: 3, params: { session_id: 's' } });
    expect(acpV1CallFromEnvelope(envelope)).toEqual({ jsonrpc: '2.0', id: 3, method: 'session/prompt', params });
  });
});

describe('towards an A2A 1.0 agent', () => {
  it('a question is a message of its own', () => {
    expect(a2aV1RequestFromEnvelope(question)).toEqual({
      message: { messageId: 'q', role: 'ROLE_USER', parts: [{ text: 'why?' }], contextId: 's' },
    });
  });

  it.each([
    ['no text', { params: {} }],
    ['no id', { request_id: null }],
  ])('nothing goes with %s', (_what, fields) => {
    expect(() => a2aV1RequestFromEnvelope({ ...question, ...fields })).toThrow(E2AError);
  });

  it('its events come back as responses of the specification', () => {
    const status = (state: string, text?: string) => ({
      statusUpdate: {
        taskId: 't',
        status: { state, ...(text === undefined ? {} : { message: { parts: [{ text }] } }) },
      },
    });
    const read = (event: JsonObject) => {
      const responses = responsesFromA2aV1Event(event, place, clock);
      expect(responses.flatMap(responseViolations)).toEqual([]);
      expect(responses.map(({ sequence }) => sequence)).toEqual(responses.map((_, index) => index));
      return responses.map(({ response_kind: kind, body }) => [kind, body['delta'] ?? body['code'] ?? body['branch']]);
    };
    const text = (artifact: JsonObject) => read({ artifactUpdate: { taskId: 't', artifact } });
    expect(text({ parts: [{ text: 'because' }] })).toEqual([['e2a.chunk', 'because']]);
    expect(text({ parts: [{ url: 'https://example.org/a' }] })).toEqual([['a2a.stream_event', 'artifact_update']]);
    expect(read(status('TASK_STATE_WORKING', 'hm'))).toEqual([['a2a.stream_event', 'status_update']]);
    expect(read(status('TASK_STATE_COMPLETED'))).toEqual([['e2a.complete', undefined]]);
    expect(read(status('TASK_STATE_INPUT_REQUIRED', 'which?'))).toEqual([
      ['e2a.chunk', 'which?'],
      ['e2a.complete', undefined],
    ]);
    expect(read(status('TASK_STATE_REJECTED', 'no'))).toEqual([['e2a.error', 'TASK_STATE_REJECTED']]);
    expect(read({ message: { messageId: 'm', parts: [{ text: 'because' }] } })).toEqual([
      ['e2a.chunk', 'because'],
      ['e2a.complete', undefined],
    ]);
    expect(
      read({
        task: { id: 't', status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [{ parts: [{ text: 'because' }] }] },
      }),
    ).toEqual([
      ['e2a.chunk', 'because'],
      ['e2a.complete', undefined],
    ]);
    expect(read({ somethingElse: {} })).toEqual([]);
  });
});

describe('towards an A2A 1.0 client', () => {
  const told = (responses: JsonObject[]) => {
    const stream = new A2aV1AnswerStream();
    return responses.flatMap((response) => stream.events(response));
  };
  const states = (responses: JsonObject[]) =>
    told(responses).flatMap(({ statusUpdate }) =>
      statusUpdate === undefined ? [] : [((statusUpdate as JsonObject)['status'] as JsonObject)['state']],
    );

  it('an answer is one artifact that grows, told once, and a task that is done', () => {
    const artifacts = told(answer).flatMap(({ artifactUpdate }) =>
      artifactUpdate === undefined ? [] : [artifactUpdate],
    );
    expect(artifacts).toMatchObject([
      { taskId: 't', contextId: 'c', artifact: { artifactId: 't_response', parts: [{ text: 'be' }] }, append: false },
      { artifact: { artifactId: 't_response', parts: [{ text: 'cause' }] }, append: true },
    ]);
    expect(states(answer)).toEqual(['TASK_STATE_WORKING', 'TASK_STATE_COMPLETED']);
  });

  it('a run that failed midway is a task that failed', () => {
    expect(states(failure)).toEqual(['TASK_STATE_FAILED']);
  });

  it('A2A’s own events go on in the spelling of 1.0, its metadata as it stands', () => {
    const payload = { task_id: 't', status: { state: 'input-required' }, metadata: { task_id: 'mine' } };
    const response = { response_kind: 'a2a.stream_event', body: { branch: 'status_update', payload } };
    expect(told([response])).toEqual([
      {
        statusUpdate: { taskId: 't', status: { state: 'TASK_STATE_INPUT_REQUIRED' }, metadata: { task_id: 'mine' } },
      },
    ]);
    expect(
      told([{ response_kind: 'a2a.task', body: { id: 't', context_id: 'c', status: { state: 'working' } } }]),
    ).toEqual([{ task: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } } }]);
  });

  it.each([
    ['working', 'TASK_STATE_WORKING'],
    ['input-required', 'TASK_STATE_INPUT_REQUIRED'],
    ['cancelled', 'TASK_STATE_CANCELED'],
    ['TASK_STATE_FAILED', 'TASK_STATE_FAILED'],
    ['someday', 'TASK_STATE_UNSPECIFIED'],
    [null, 'TASK_STATE_UNSPECIFIED'],
  ])('the state %j is %s', (name, expected) => {
    expect(taskStateV1(name)).toBe(expected);
  });

  it('its message becomes an envelope, and comes out again as it went in', () => {
    const message = { messageId: 'm', contextId: 'c', role: 'ROLE_USER', parts: [{ text: 'why?' }] };
    const envelope = envelopeFromA2aV1Request(
      { message, configuration: { acceptedOutputModes: ['text/plain'] } },
      clock,
    );
    expect(isE2AEnvelope(envelope)).toBe(true);
    expect(envelope).toMatchObject({ message_id: 'm', context_id: 'c', task_id: null });
    expect(a2aV1RequestFromEnvelope(envelope)).toEqual({
      message,
      configuration: { acceptedOutputModes: ['text/plain'] },
    });
  });
});

describe('towards an AgentServer', () => {
  it('a prompt of ACP and a message of A2A are the chat.send it understands', () => {
    const acp = envelopeFromAcpV1Call({
      id: 3,
      method: 'session/prompt',
      params: { sessionId: 's', prompt: [{ text: 'why?' }] },
    });
    const a2a = envelopeFromA2aV1Request({ message: { messageId: 'm', contextId: 's', parts: [{ text: 'why?' }] } });
    for (const envelope of [acp, a2a].map(envelopeToGatewayChat)) {
      expect(envelope).toMatchObject({
        method: 'chat.send',
        session_id: 's',
        params: { query: 'why?', content: 'why?' },
      });
      expect(envelope.params).not.toHaveProperty('prompt');
      expect(envelope.params).not.toHaveProperty('message');
    }
  });

  it('a chat.send is one already, and nothing else can become one', () => {
    expect(envelopeToGatewayChat(question).params).toEqual(question.params);
    expect(() => envelopeToGatewayChat({ method: 'session/new' })).toThrow(E2AError);
    expect(() => envelopeToGatewayChat({ method: 'session/prompt', params: {} })).toThrow(E2AError);
  });
});
