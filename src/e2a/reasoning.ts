import type { JsonObject } from './coerce.js';

/** Whether a Gateway event tells what the agent thinks, not what it answers: there are two ways to say so. */
export function isReasoning(payload: JsonObject): boolean {
  return payload['event_type'] === 'chat.reasoning' || payload['source_chunk_type'] === 'llm_reasoning';
}
