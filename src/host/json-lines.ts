import { StringDecoder } from 'node:string_decoder';
import type { Socket } from 'node:net';
import { parseJson } from '../base/parse-json.js';

/**
 * Reads newline-delimited JSON from a socket.
 * @param maxBytes a longer line ends the reading: `onLine` is called with undefined once, and no more after
 */
export function readJsonLines(socket: Socket, maxBytes: number, onLine: (value: unknown) => void): void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let ended = false;
  socket.on('data', (chunk: Buffer) => {
    if (ended) return;
    rest += decoder.write(chunk);
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      const line = rest.slice(0, end);
      rest = rest.slice(end + 1);
      if (line.trim() !== '') onLine(parseJson(line));
    }
    if (rest.length > maxBytes) {
      ended = true;
      rest = '';
      onLine(undefined);
    }
  });
}

/** One value as a line. */
export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
