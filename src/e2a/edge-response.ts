import { ownProvenance } from './provenance.js';
import { buildResponse, type ResponseReading } from './response.js';
import { type ClockOptions, timeOf } from './timestamp.js';

/** Which request a foreign peer's answer belongs to, and its number in the stream (section 12.3). */
export type AnswerPlace = {
  request_id: string;
  sequence: number;
  jsonrpc_id?: string | number | null;
  session_id?: string | null;
  task_id?: string | null;
  context_id?: string | null;
  channel?: string | null;
};

/** A response made of what a foreign peer said. */
export function edgeResponse(
  source: 'acp' | 'a2a',
  converter: string,
  detail: string,
  place: AnswerPlace,
  fields: Partial<ResponseReading>,
  options: ClockOptions,
): ResponseReading {
  const at = timeOf(options);
  return buildResponse({
    ...place,
    // One response per number of a request, so the two together are an id of the record.
    response_id: `${place.request_id}:${String(place.sequence)}`,
    is_stream: true,
    timestamp: at,
    provenance: ownProvenance(source, converter, at, { kind: detail }),
    ...fields,
  });
}
