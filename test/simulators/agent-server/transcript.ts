import { readFileSync } from 'node:fs';
import { isE2aResponseWireDict, type JsonObject } from '../../../src/e2a/index.js';

interface Scenario {
  readonly name: string;
  readonly received?: readonly JsonObject[];
}

const { scenarios } = JSON.parse(
  readFileSync(new URL('../../vectors/e2a-wire-transcript.json', import.meta.url), 'utf8'),
) as { scenarios: readonly Scenario[] };

/** What a real server answered in a scenario, without the frames of the connection itself. */
export function capturedFrames(name: string): readonly JsonObject[] {
  const found = scenarios.find((scenario) => scenario.name === name);
  if (!found) throw new Error(`no scenario ${name} in the transcript`);
  return (found.received ?? []).filter(isE2aResponseWireDict);
}

/** A captured frame as the answer to another request, now. */
export function asAnswerTo(frame: JsonObject, request: JsonObject, now: string): JsonObject {
  const named = { ...frame, request_id: request['request_id'], response_id: request['request_id'] };
  const text = JSON.stringify(named).replaceAll('<now>', now);
  const answer = JSON.parse(text) as JsonObject;
  return answer['session_id'] === null ? answer : { ...answer, session_id: request['session_id'] };
}
