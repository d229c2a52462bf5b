import type { TSchema } from 'typebox';
import { describe, expect, it } from 'vitest';
import {
  AuthCancelPayload,
  AuthStartPayload,
  AuthStatusPayload,
  ChatAckPayload,
  ChatMessagePayload,
  HelloPayload,
  ToolInvokePayload,
} from './payloads.js';
import { checker } from './validate.js';

/** Each payload with only what it must have, and the fields it may have. */
const CASES: readonly [string, TSchema, Record<string, unknown>, readonly string[]][] = [
  ['connector.hello', HelloPayload, { connector_card_id: 'im.a', supported_profiles: [] }, ['connector_id']],
  ['auth.start', AuthStartPayload, {}, ['flow_id', 'input']],
  ['auth.status', AuthStatusPayload, {}, ['flow_id', 'auth_session_id', 'refresh', 'input']],
  ['auth.cancel', AuthCancelPayload, {}, ['auth_session_id']],
  ['tool.invoke', ToolInvokePayload, { tool_id: 't' }, ['arguments', 'context']],
  ['chat.message', ChatMessagePayload, { message_id: 'm' }, ['text', 'files', 'created_at']],
  ['chat.message.ack', ChatAckPayload, { message_id: 'm', status: 'accepted' }, ['code', 'message', 'retryable']],
];

describe('a payload of an agent', () => {
  it.each(CASES)('%s may leave out what is optional, or say null for it', (_type, schema, least, fields) => {
    const check = checker(schema, 'payload');
    expect(check(least)).toBe(least);
    for (const field of fields) expect(() => check({ ...least, [field]: null })).not.toThrow();
  });

  it.each(CASES)('%s is refused when such a field is of another kind', (_type, schema, least, fields) => {
    const check = checker(schema, 'payload');
    for (const field of fields) {
      expect(() => check({ ...least, [field]: Symbol(field) })).toThrow(
        expect.objectContaining({ code: 'invalid_packet' }),
      );
    }
  });
});
