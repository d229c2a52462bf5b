import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  envelopeFromDict,
  envelopeToDict,
  isE2aResponseWireDict,
  type JsonObject,
  parseAgentServerWireChunk,
  parseAgentServerWireUnary,
  responseToDict,
  StreamChecker,
  type StreamVerdict,
} from './index.js';

/** Frames captured between a client and the public AgentServer, with `<now>` in place of times. */
type Scenario = { name: string; sent?: unknown[]; received?: JsonObject[] };
type Transcript = { scenarios: Scenario[] };

const transcript = JSON.parse(
  readFileSync(new URL('../../test/vectors/e2a-wire-transcript.json', import.meta.url), 'utf8'),
) as Transcript;
const scenarios = transcript.scenarios.map(({ name, sent = [], received = [] }) => ({ name, sent, received }));
const answers = ({ received }: { received: JsonObject[] }) => received.filter(isE2aResponseWireDict);

describe('frames of a real AgentServer', () => {
  it('are E2A responses, but for connection.ack', () => {
    for (const { received } of scenarios) {
      for (const frame of received) expect(isE2aResponseWireDict(frame)).toBe(frame['type'] !== 'event');
    }
  });

  it('are read and written without a change', () => {
    for (const frame of scenarios.flatMap(answers)) expect(responseToDict(frame)).toStrictEqual(frame);
  });

  it('are read and written without a change on the way there, where the client sent whole envelopes', () => {
    for (const frame of scenarios.flatMap(({ sent }) => sent) as JsonObject[]) {
      const isWholeEnvelope =
        Object.hasOwn(frame, 'acp_meta') && frame['identity_origin'] === envelopeFromDict({}).identity_origin;
      if (isWholeEnvelope) expect(envelopeToDict(frame)).toStrictEqual(frame);
    }
  });

  it('decode by the way they were asked for: streams as pieces, others as whole answers', () => {
    for (const frame of scenarios.flatMap(answers)) {
      const isUnary =
        frame['is_stream'] === false && ['e2a.complete', 'e2a.error'].includes(String(frame['response_kind']));
      const decode = isUnary ? parseAgentServerWireUnary : parseAgentServerWireChunk;
      expect(decode(frame).request_id).toBe(frame['request_id'] ?? '');
    }
  });

  it('keep the order of section 12.3; keepalives and pushes stand aside', () => {
    for (const scenario of scenarios) {
      const checker = new StreamChecker();
      const verdicts = answers(scenario).map((frame): StreamVerdict => checker.accept(frame));
      expect(verdicts.filter(({ kind }) => kind === 'violation')).toEqual([]);
    }
  });

  it('leave a cancelled stream without an end', () => {
    const scenario = scenarios.find(({ name }) => name === 'chat_interrupt_cancel_during_stream');
    const checker = new StreamChecker();
    for (const frame of answers(scenario ?? { received: [] })) checker.accept(frame);
    expect(checker.unfinished()).toEqual(['r8']);
    expect(checker.hasEnded('int1')).toBe(true);
  });

  it('give the answer in chat.final and an empty end marker after it', () => {
    const scenario = scenarios.find(({ name }) => name === 'chat_send_stream');
    const pieces = answers(scenario ?? { received: [] }).map(parseAgentServerWireChunk);
    const final = pieces
      .map(({ payload }) => payload as JsonObject)
      .find((each) => each['event_type'] === 'chat.final');
    expect(final).toMatchObject({ content: 'Hello' });
    expect(pieces.at(-1)).toMatchObject({ is_complete: true, payload: { is_complete: true } });
  });
});
