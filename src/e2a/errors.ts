/**
 * - `invalid_value`: a field holds what no reading can make sense of (an unknown identity, a time out of range).
 * - `missing_field`: an operation lacks an argument it can't do without.
 * - `unrecognized_frame`: a wire frame is neither E2A nor a legacy shape.
 * - `unsupported_response`: an E2A response the wanted direction has no meaning for (`ext` as a chunk, say).
 * - `unknown_method`: a request names a method an AgentServer does not have.
 * - `fallback_envelope`: a fallback envelope was read as if it had been normalised.
 */
export type E2AErrorCode =
  | 'invalid_value'
  | 'missing_field'
  | 'unrecognized_frame'
  | 'unsupported_response'
  | 'unknown_method'
  | 'fallback_envelope';

/** A value this contract can't read or express. The message names field and rule, never the content, which may be private. */
export class E2AError extends Error {
  override readonly name = 'E2AError';
  constructor(
    readonly code: E2AErrorCode,
    message: string,
  ) {
    super(message);
  }
}
