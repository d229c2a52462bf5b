import { Transform } from 'node:stream';

/** Passes bytes through until they exceed `maxBytes`; then it fails with what `tooLarge` makes. */
export function sizeCap(maxBytes: number, tooLarge: () => Error): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > maxBytes) done(tooLarge());
      else done(null, chunk);
    },
  });
}
