import { request as httpRequest, type OutgoingHttpHeaders } from 'node:http';
import { parseJson } from '../../base/parse-json.js';
import { fieldsOf, type Fields } from '../../targets/json-fields.js';
import { StepFailure } from './step-failure.js';

/** Nothing that a rehearsal fetches is larger; bytes. */
const MAX_ANSWER_BYTES = 1024 * 1024;

export interface ProbeAnswer {
  readonly status: number;
  readonly body: Buffer;
}

export interface ProbeRequest {
  readonly method?: 'GET' | 'POST';
  /** Sent as they are: also a Host or an Origin that is to be refused. */
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: Buffer;
  readonly signal: AbortSignal;
}

/** One plain HTTP request to this machine's own server. @throws StepFailure `server_unreachable` */
export function probe(url: string, { method = 'GET', headers = {}, body, signal }: ProbeRequest): Promise<ProbeAnswer> {
  return new Promise((resolve, reject) => {
    const fail = (): void => reject(new StepFailure('server_unreachable'));
    const outgoing = httpRequest(url, { method, headers, signal, agent: false }, (incoming) => {
      const pieces: Buffer[] = [];
      let size = 0;
      incoming.on('data', (piece: Buffer) => {
        size += piece.length;
        if (size > MAX_ANSWER_BYTES) incoming.destroy(new Error('too large'));
        else pieces.push(piece);
      });
      incoming.on('error', fail);
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, body: Buffer.concat(pieces) }));
    });
    outgoing.on('error', fail);
    outgoing.end(body);
  });
}

/** The fields of a JSON answer; none when it is no object. */
export function fieldsIn({ body }: ProbeAnswer): Fields {
  return fieldsOf(parseJson(body.toString('utf8')));
}
