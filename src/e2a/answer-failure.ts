import { given, isTruthy, type JsonObject, plainText } from './coerce.js';
import { E2A_ERROR_CODES } from './constants.js';
import { responseFromDict, type ResponseReading } from './response.js';
import { chunkPayload } from './wire-chunk-payload.js';

/**
 * An agent that fails midway says so in a `chat.error` event (section 12.9), and then still ends its stream with a success.
 * A peer with one end to tell gets the failure: this remembers it and turns that success into the error it was.
 */
export class FailureMemory {
  #failure: JsonObject | undefined;

  /** @throws {E2AError} as `responseFromDict`. */
  read(response: JsonObject): ResponseReading {
    const read = responseFromDict(response);
    if (read.response_kind === 'e2a.chunk' && !read.is_final) {
      const { payload } = chunkPayload(read);
      if (payload['event_type'] === E2A_ERROR_CODES.chatError) this.#failure = payload;
    }
    if (read.response_kind !== 'e2a.complete' || this.#failure === undefined) return read;
    const error = given(this.#failure, 'error');
    const message = isTruthy(error) ? plainText(error) : '';
    const body = { code: E2A_ERROR_CODES.chatError, message, details: this.#failure };
    return { ...read, status: 'failed', response_kind: 'e2a.error', body };
  }
}
