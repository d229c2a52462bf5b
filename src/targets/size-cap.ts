import type { IncomingHttpHeaders } from 'node:http';
import { Transform, type Readable } from 'node:stream';
import { TransportError } from '../base/errors.js';

/** An answer whose body is a file. */
interface FileBody {
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
}

/**
 * The body of a download, at most `maxBytes` of it. How long it may take is up to the signal that the answer was asked for with.
 * A body that grows longer fails with what `tooLarge` makes, one that breaks off with TransportError `connection_lost`, one of another length
 * than the network had named with `gateway_error`.
 * @param announced the file's length as the network named it, bytes: a page that stands in its place has another one
 * @throws what `tooLarge` makes, when the answer's head tells of more
 */
export function cappedBody(
  { headers, body }: FileBody,
  maxBytes: number,
  tooLarge: () => Error,
  announced?: number,
): Readable {
  if (Number(headers['content-length'] ?? 0) > maxBytes) {
    body.destroy();
    throw tooLarge();
  }
  const capped = sizeCap(maxBytes, tooLarge, announced);
  const fail = (): void => {
    capped.destroy(new TransportError('connection_lost', 'The download broke', { effect: 'none' }));
  };
  body.once('error', fail);
  body.once('aborted', fail);
  capped.once('close', () => body.destroy());
  return body.pipe(capped);
}

function sizeCap(maxBytes: number, tooLarge: () => Error, announced: number | undefined): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > maxBytes) done(tooLarge());
      else done(null, chunk);
    },
    flush(done) {
      if (announced === undefined || size === announced) done();
      else done(new TransportError('gateway_error', 'What came is not the file', { effect: 'none' }));
    },
  });
}
