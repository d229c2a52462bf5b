import { describe, expect, it } from 'vitest';
import {
  buildFallbackE2a,
  e2aFromAgentFields,
  e2aToAgentRequest,
  E2AError,
  isFallbackContext,
  type JsonObject,
  MAX_LEGACY_AGENT_REQUEST_JSON_BYTES,
  messageToE2aOrFallback,
} from './index.js';

const legacyOf = (context: JsonObject) => (context['_jiuwenswarm'] as JsonObject)['legacy_agent_request'] as JsonObject;

describe('a message of a channel', () => {
  const message = { id: 'm', channel_id: 'feishu', timestamp: 1.5, req_method: 'chat.send', params: { query: 'q' } };

  it('comes to an AgentServer as the request it was', () => {
    const request = e2aToAgentRequest(messageToE2aOrFallback({ ...message, metadata: { k: 1 } }));
    expect(request).toMatchObject({
      request_id: 'm',
      channel_id: 'feishu',
      req_method: 'chat.send',
      params: { query: 'q' },
      timestamp: 1.5,
      metadata: { k: 1 },
    });
  });

  it.each([
    ['a blank id', { id: ' ' }],
    ['a time in milliseconds', { timestamp: 1774524781150 }],
  ])('goes as a fallback envelope with %s, the request whole inside', (_why, fields) => {
    const envelope = messageToE2aOrFallback({ ...message, ...fields });
    expect(envelope).toMatchObject({ method: null, params: {} });
    expect(legacyOf(envelope.channel_context)).toMatchObject({ req_method: 'chat.send', params: { query: 'q' } });
    expect(() => e2aToAgentRequest(envelope)).toThrow(E2AError);
  });

  it('switches memory off only for an avatar in a group that says so', () => {
    const memory = (fields: JsonObject) =>
      messageToE2aOrFallback({ ...message, ...fields }).channel_context['enable_memory'];
    const inGroup = { group_digital_avatar: true, metadata: { avatar_mode: true } };
    expect(memory({ ...inGroup, enable_memory: false })).toBe(false);
    expect(memory({ ...inGroup, enable_memory: true })).toBe(true);
    expect(memory({ enable_memory: false })).toBe(true);
    expect(memory(inGroup)).toBeUndefined();
  });
});

describe('a fallback envelope', () => {
  const request = (size: number) => ({ request_id: 'r', params: { text: 'x'.repeat(size) } });
  const room = MAX_LEGACY_AGENT_REQUEST_JSON_BYTES - '{"request_id": "r", "params": {"text": ""}}'.length;
  const keptParams = (size: number) =>
    Object.keys(legacyOf(buildFallbackE2a(request(size)).channel_context)['params'] as JsonObject);

  it('drops the params of a request above the limit, and only then', () => {
    expect(keptParams(room)).toEqual(['text']);
    expect(keptParams(room + 1)).toEqual(['_e2a_fallback_error']);
  });

  it('is told by its context', () => {
    expect(isFallbackContext(buildFallbackE2a({}).channel_context)).toBe(true);
    expect(isFallbackContext({ _jiuwenswarm: {} })).toBe(false);
  });
});

describe('an agent request', () => {
  it.each(['session/prompt', 'nonsense', 5])('has no method %j', (method) => {
    expect(() => e2aToAgentRequest({ request_id: 'r', method })).toThrow(E2AError);
  });

  it('may have none at all, as a heartbeat', () => {
    expect(e2aToAgentRequest(e2aFromAgentFields({ request_id: 'hb' })).req_method).toBeNull();
  });
});
