import {
  buildServerPushWire,
  encodeAgentChunkForWire,
  encodeAgentResponseForWire,
  type JsonObject,
} from '../../../src/e2a/index.js';
import { asAnswerTo, capturedFrames } from './transcript.js';

/** One request at the simulated server, and what its agent says to it. */
export class Turn {
  readonly request: JsonObject;
  /** Cancelled by an interrupt or a lost connection: nothing more is sent. */
  isCancelled = false;
  readonly #send: (frame: JsonObject) => void;
  readonly #push: (frame: JsonObject) => void;
  #sequence = 0;

  constructor(request: JsonObject, send: (frame: JsonObject) => void, push: (frame: JsonObject) => void) {
    this.request = request;
    this.#send = send;
    this.#push = push;
  }

  get id(): string {
    return String(this.request['request_id']);
  }

  get sessionId(): string {
    return String(this.request['session_id']);
  }

  get params(): JsonObject {
    return this.request['params'] as JsonObject;
  }

  get query(): string {
    return String(this.params['query']);
  }

  event(eventType: string, payload: JsonObject = {}): void {
    this.#chunk({ event_type: eventType, ...payload }, false);
  }

  delta(content: string): void {
    this.event('chat.delta', { content });
  }

  /** The final answer, then the end. */
  answer(content: string): void {
    this.event('chat.final', { content });
    this.end();
  }

  end(result: JsonObject = { is_complete: true }): void {
    this.#chunk(result, true);
  }

  /** The request fails as a whole, with one frame. */
  fail(payload: JsonObject): void {
    const response = { request_id: this.id, channel_id: 'c', ok: false, payload };
    this.raw(encodeAgentResponseForWire({ response, response_id: this.id }));
  }

  keepalive(): void {
    const chunk = { request_id: this.id, channel_id: 'c', payload: { event_type: 'keepalive' }, is_complete: false };
    this.raw({ ...encodeAgentChunkForWire({ chunk, response_id: this.id, sequence: -1 }) });
  }

  /** Something beside the answer, marked as a push, with this request's id. */
  push(payload: JsonObject): void {
    this.#push({ ...buildServerPushWire({ request_id: this.id, session_id: this.sessionId, payload }) });
  }

  /** The frames a real server sent in this scenario, as the answer to this request. */
  replay(scenario: string): void {
    for (const frame of capturedFrames(scenario)) this.raw(asAnswerTo(frame, this.request, new Date().toISOString()));
  }

  raw(frame: JsonObject): void {
    if (!this.isCancelled) this.#send(frame);
  }

  #chunk(payload: JsonObject, isComplete: boolean): void {
    const chunk = { request_id: this.id, channel_id: 'c', payload, is_complete: isComplete };
    this.raw({ ...encodeAgentChunkForWire({ chunk, response_id: this.id, sequence: this.#sequence }) });
    this.#sequence += 1;
  }
}
