import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createWriteStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { API_KEY, startHost } from '../host.mjs';
import { localChat } from '../held.mjs';
import { forgetPeak, peakMemory, residentMemory } from '../process-facts.mjs';
import { bare, startProgram } from '../programs.mjs';
import { alternate, pluck } from '../rounds.mjs';
import { compared, measured } from '../rows.mjs';

const SIZE = 100_000_000;
const CHUNK = 1_000_000;

export const upload = {
  name: 'upload',
  async run({ folder, short }) {
    const file = join(folder, 'upload.bin');
    await writeRandom(file);
    const plain = await startProgram([bare('sink')]);
    const host = await startHost(folder);
    try {
      const { channel } = await localChat(host, 'upload');
      const headers = join(folder, 'headers');
      writeFileSync(headers, `Authorization: Bearer ${API_KEY}\nX-XAgent-Connector-Channel-ID: ${channel}\n`);
      const sides = {
        baseline: () => send(plain, `http://127.0.0.1:${plain.ready.port}/`, file, headers),
        product: () => send(host, `${host.url}/local/files/uploads`, file, headers),
      };
      await sides.baseline();
      await sides.product();
      const { baseline, product } = await alternate(short ? 2 : 7, sides);
      return [
        compared({
          name: '100 MB upload',
          unit: 'ms',
          product: pluck(product, 'taken'),
          baseline: pluck(baseline, 'taken'),
          target: { atMost: 1.3 },
        }),
        measured({
          name: '100 MB upload, peak extra memory',
          unit: 'MiB',
          product: pluck(product, 'extraMib'),
          target: { atMost: 20 },
        }),
        measured({
          name: 'longest stall of the event loop, upload',
          unit: 'ms',
          product: [Math.max(...pluck(product, 'stallMs'))],
          target: { atMost: 50 },
        }),
      ];
    } finally {
      await host.stop();
      await plain.stop();
    }
  },
};

/** Uploads with curl, as an agent's tool would. */
async function send(program, url, file, headers) {
  await program.ask();
  forgetPeak(program.pid);
  const before = residentMemory(program.pid);
  const began = performance.now();
  const args = ['--silent', '--fail', '--header', `@${headers}`, '--form', `file=@${file}`, url];
  const { stdout } = await promisify(execFile)('curl', args);
  const taken = performance.now() - began;
  if (JSON.parse(stdout).byte_size !== SIZE) throw new Error('the file did not arrive whole');
  const { stallMs } = await program.ask();
  return { taken, stallMs, extraMib: peakMemory(program.pid) - before };
}

async function writeRandom(file) {
  const stream = createWriteStream(file);
  for (let written = 0; written < SIZE; written += CHUNK) stream.write(randomBytes(CHUNK));
  await new Promise((resolve) => stream.end(resolve));
}
