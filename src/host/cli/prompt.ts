import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { CliError, type CliIo } from './io.js';

/**
 * Asks the person at the terminal one question. A secret answer is not shown while it is typed.
 * @throws CliError when they end it instead (Ctrl-C, Ctrl-D)
 */
export function ask(io: CliIo, question: string, options: { readonly secret: boolean }): Promise<string> {
  return new Promise((resolve, reject) => {
    let muted = false;
    const output = new Writable({
      write(chunk: Buffer, _encoding, done) {
        if (!muted) io.stderr.write(chunk);
        done();
      },
    });
    const lines = createInterface({ input: io.stdin, output, terminal: io.interactive });
    let answered = false;
    lines.once('close', () => {
      // What comes next begins on a line of its own.
      if (!answered) io.stderr.write('\n');
      if (!answered) reject(new CliError('Canceled: the question was not answered.'));
    });
    lines.once('SIGINT', () => lines.close());
    lines.question(question, (answer) => {
      answered = true;
      lines.close();
      if (options.secret) io.stderr.write('\n');
      resolve(answer.trim());
    });
    muted = options.secret;
  });
}

/** Everything on standard input, up to `maxBytes`. @throws RangeError beyond */
export async function readAll(io: CliIo, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of io.stdin) {
    const bytes = Buffer.from(chunk as Uint8Array | string);
    size += bytes.length;
    if (size > maxBytes) throw new RangeError('too much on standard input');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}
