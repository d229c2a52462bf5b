import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildResponse, buildServerPushWire, type JsonObject, StreamChecker } from './index.js';

const response = (sequence: number, isFinal = false, requestId = 'r'): JsonObject =>
  buildResponse({
    request_id: requestId,
    sequence,
    is_final: isFinal,
    response_kind: isFinal ? 'e2a.complete' : 'e2a.chunk',
    body: isFinal ? { result: {} } : { delta_kind: 'text', delta: 't' },
  });

const keepalive = buildResponse({
  request_id: 'r',
  sequence: -1,
  response_kind: 'e2a.chunk',
  body: { delta_kind: 'custom', delta: { event_type: 'keepalive' }, event_type: 'keepalive' },
});

const verdicts = (...responses: JsonObject[]) => {
  const checker = new StreamChecker();
  return responses.map((each) => checker.accept(each));
};

describe('the order of the responses to one request', () => {
  it('holds from 0 to the one final response', () => {
    fc.assert(
      fc.property(fc.nat({ max: 50 }), (last) => {
        const all = Array.from({ length: last + 1 }, (_, index) => response(index, index === last));
        const found = verdicts(...all);
        expect(found.every(({ kind }) => kind === 'in_order')).toBe(true);
        expect(found.filter((verdict) => verdict.kind === 'in_order' && verdict.isFinal)).toHaveLength(1);
      }),
    );
  });

  it.each([
    ['sequence_start', [response(1)]],
    ['sequence_gap', [response(0), response(2)]],
    ['sequence_repeated', [response(0), response(0)]],
    ['sequence_repeated', [response(0), response(1), response(0)]],
    ['after_final', [response(0, true), response(1)]],
    ['after_final', [response(0, true), response(0, true)]],
  ])('is broken by %s', (violation, responses) => {
    expect(verdicts(...responses).at(-1)).toMatchObject({ kind: 'violation', violation });
  });

  it('goes on from a gap, so that one lost response is told once', () => {
    expect(verdicts(response(0), response(2), response(3)).map(({ kind }) => kind)).toEqual([
      'in_order',
      'violation',
      'in_order',
    ]);
  });

  it('is not touched by a keepalive, before the end or after it', () => {
    expect(verdicts(response(0), keepalive, response(1, true), keepalive).map(({ kind }) => kind)).toEqual([
      'in_order',
      'aside',
      'in_order',
      'aside',
    ]);
  });

  it('is not touched by a push of the server, not even a final one', () => {
    const push = buildServerPushWire({ request_id: 'r', response_kind: 'cron', body: {} });
    expect(verdicts(response(0), push, response(1)).map(({ kind }) => kind)).toEqual(['in_order', 'aside', 'in_order']);
  });

  it('is ended by an error that starts again at 0, though against the rule', () => {
    const checker = new StreamChecker();
    checker.accept(response(0));
    checker.accept(response(1));
    const failure = buildResponse({ request_id: 'r', is_final: true, status: 'failed', response_kind: 'e2a.error' });
    expect(checker.accept(failure)).toEqual({ kind: 'violation', violation: 'sequence_repeated', isFinal: true });
    expect(checker.hasEnded('r')).toBe(true);
  });

  it('is kept apart by request', () => {
    const checker = new StreamChecker();
    expect(checker.accept(response(0, false, 'a')).kind).toBe('in_order');
    expect(checker.accept(response(0, true, 'b')).kind).toBe('in_order');
    expect(checker.hasEnded('b')).toBe(true);
    expect(checker.unfinished()).toEqual(['a']);
    checker.forget('a');
    expect(checker.unfinished()).toEqual([]);
  });
});
