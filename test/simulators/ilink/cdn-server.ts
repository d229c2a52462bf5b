import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Cdn } from './cdn.js';
import type { Fault } from './faults.js';

export interface CdnExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  readonly body: Buffer;
  readonly fault: Fault | undefined;
}

/** Answers one call of the CDN; returns what the client did wrong. */
export function serveCdn(cdn: Cdn, exchange: CdnExchange): string[] {
  const { request, response, url, fault } = exchange;
  const endpoint = url.pathname.split('/').pop() ?? '';
  const violations = request.headers.authorization === undefined ? [] : [`${endpoint}: a token for the CDN`];
  const method = endpoint === 'upload' ? 'POST' : 'GET';
  if (request.method !== method) violations.push(`${endpoint}: ${String(request.method)} instead of ${method}`);
  if (fault?.kind === 'garbage') {
    response.writeHead(fault.status ?? 200, fault.headers).end(fault.body);
    return violations;
  }
  const param = url.searchParams.get('encrypted_query_param') ?? '';
  return [...violations, ...(endpoint === 'upload' ? take(cdn, param, exchange) : give(cdn, param, exchange))];
}

function take(cdn: Cdn, param: string, { request, response, url, body, fault }: CdnExchange): string[] {
  const type = request.headers['content-type'];
  const violations =
    type === 'application/octet-stream' ? [] : ['upload: Content-Type is not application/octet-stream'];
  const outcome = cdn.upload(param, url.searchParams.get('filekey') ?? '', body);
  if ('faults' in outcome) {
    response.writeHead(400, { 'x-error-message': 'bad upload' }).end();
    return [...violations, ...outcome.faults.map((each) => `upload: ${each}`)];
  }
  // A scripted answer is one without the header that matters.
  response.writeHead(200, fault?.kind === 'answer' ? {} : { 'x-encrypted-param': outcome.reference }).end();
  return violations;
}

function give(cdn: Cdn, param: string, { response, fault }: CdnExchange): string[] {
  const stored = cdn.stored(param);
  if (!stored) {
    response.writeHead(404).end();
    return [];
  }
  response.writeHead(200, { 'content-length': String(stored.length) });
  if (fault?.kind === 'truncate') {
    response.write(stored.subarray(0, stored.length / 2));
    setImmediate(() => response.destroy());
  } else {
    response.end(stored);
  }
  return [];
}
