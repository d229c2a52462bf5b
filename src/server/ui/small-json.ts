import type { IncomingMessage } from 'node:http';
import { HttpRefusal } from '../http/refusal.js';

/**
 * Reads a small JSON body.
 * @throws HttpRefusal 415 for another type, 413 beyond `maxBytes`, 400 for what is no JSON
 */
export async function readSmallJson(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  // A type that an HTML form can't send.
  if (request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() !== 'application/json') {
    throw new HttpRefusal({ status: 415, code: 'json_required', message: 'the body must be application/json' });
  }
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request) {
    const chunk = Buffer.from(piece as Uint8Array);
    size += chunk.length;
    if (size > maxBytes) throw tooLarge();
    pieces.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(pieces).toString('utf8'));
  } catch {
    throw new HttpRefusal({ status: 400, code: 'invalid_json' });
  }
}

function tooLarge(): HttpRefusal {
  return new HttpRefusal({ status: 413, code: 'too_large' });
}
