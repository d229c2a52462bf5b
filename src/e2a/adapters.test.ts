import { describe, expect, it } from 'vitest';
import {
  E2A_CONVERTERS,
  E2AError,
  e2aResponseToAcpJsonrpcResponse,
  e2aResponseToA2aStreamPayload,
  envelopeFromA2aSendMessage,
  envelopeFromAcpJsonrpc,
  envelopeToAcpJsonrpcCall,
  isE2AEnvelope,
  type JsonObject,
  mergeParamsToAcpPrompt,
} from './index.js';

const clock = { now: () => '2026-01-02T03:04:05+00:00' };

describe('the prompt of an envelope', () => {
  const prompt = (params: JsonObject, more: JsonObject = {}) =>
    mergeParamsToAcpPrompt({ method: 'session/prompt', params, ...more });

  it('is the content blocks, else the first text of text, content and query', () => {
    expect(prompt({ content_blocks: [{ type: 'image' }], text: 'no' })['prompt']).toEqual([{ type: 'image' }]);
    expect(prompt({ text: '', content: 'yes', query: 'no' })['prompt']).toEqual([{ type: 'text', text: 'yes' }]);
    expect(prompt({ text: ['no text'], query: 'unread' })).not.toHaveProperty('prompt');
  });

  it('ends the matter when it is there, even null', () => {
    expect(prompt({ prompt: null, text: 't' }, { session_id: 's', acp_meta: { m: 1 } })).toEqual({
      prompt: null,
      text: 't',
    });
  });

  it('brings session id and _meta with it, over nothing that is set', () => {
    expect(prompt({ session_id: 'own', _meta: { a: 1, b: 1 } }, { session_id: 's', acp_meta: { b: 2 } })).toEqual({
      session_id: 'own',
      _meta: { a: 1, b: 2 },
    });
  });

  it('is only made for session/prompt', () => {
    expect(mergeParamsToAcpPrompt({ method: 'chat.send', params: { text: 't' }, session_id: 's' })).toEqual({
      text: 't',
    });
  });

  it('leaves the _meta it was given as it was', () => {
    const meta = { a: 1 };
    prompt({ _meta: meta }, { acp_meta: { b: 2 } });
    expect(meta).toEqual({ a: 1 });
  });
});

describe('a call from ACP', () => {
  it('becomes an envelope of the specification that names its converter', () => {
    const envelope = envelopeFromAcpJsonrpc({ method: 'session/prompt', jsonrpc_id: 1, params: {} }, clock);
    expect(isE2AEnvelope(envelope)).toBe(true);
    expect(envelope.provenance.converter).toBe(E2A_CONVERTERS.fromAcp);
    expect(envelope.provenance.converted_at).toBe(clock.now());
  });

  it('comes out again as it went in', () => {
    const params = { session_id: 's', prompt: [{ type: 'text', text: 'hi' }] };
    const envelope = envelopeFromAcpJsonrpc({ method: 'session/prompt', jsonrpc_id: 'a', params });
    expect(envelopeToAcpJsonrpcCall(envelope)).toEqual({ jsonrpc: '2.0', id: 'a', method: 'session/prompt', params });
  });

  it('needs a method', () => {
    expect(() => envelopeFromAcpJsonrpc({ params: {} })).toThrow(E2AError);
  });
});

describe('a message from A2A', () => {
  it('becomes an envelope of the specification, message and configuration whole', () => {
    const message_body = { messageId: 'm', parts: [{ text: 'hi' }] };
    const configuration = { acceptedOutputModes: ['text/plain'] };
    const envelope = envelopeFromA2aSendMessage({ task_id: 't', context_id: null, message_body, configuration }, clock);
    expect(isE2AEnvelope(envelope)).toBe(true);
    expect(envelope).toMatchObject({
      params: { message: message_body, configuration },
      expected_output_modes: ['text/plain'],
      message_id: null,
    });
  });

  it('needs task, context and message, null though they may be', () => {
    expect(() => envelopeFromA2aSendMessage({ task_id: null, context_id: null })).toThrow(E2AError);
  });
});

describe('a response towards ACP', () => {
  it('moves a code that is no whole number to data', () => {
    const response = (code: unknown) => ({ response_kind: 'e2a.error', body: { code, message: 'm' } });
    expect(e2aResponseToAcpJsonrpcResponse(response(-32000))).toMatchObject({ error: { code: -32000 } });
    for (const code of ['chat.error', 1.5, true]) {
      expect(e2aResponseToAcpJsonrpcResponse(response(code))).toMatchObject({
        error: { code: -32603, data: { e2a_code: code } },
      });
    }
  });

  it('is a ready-made projection first, whose own id wins', () => {
    const projections = { acp: { jsonrpc: '2.0', result: {} } };
    expect(e2aResponseToAcpJsonrpcResponse({ response_kind: 'e2a.chunk', jsonrpc_id: 7, projections })).toMatchObject({
      id: 7,
      result: {},
    });
  });
});

describe('a response towards A2A', () => {
  it('is one branch, named as A2A names it', () => {
    const response = {
      response_kind: 'a2a.stream_event',
      body: { branch: 'status_update', payload: { task_id: 't' } },
    };
    expect(e2aResponseToA2aStreamPayload(response)).toEqual({ statusUpdate: { task_id: 't' } });
  });

  it.each(['toString', 'statusUpdate', 5, null])('is none for the branch %j', (branch) => {
    const response = { response_kind: 'a2a.stream_event', body: { branch, payload: {} } };
    expect(e2aResponseToA2aStreamPayload(response)).toBeNull();
  });
});
