// The person's side: commands on the host's control socket.
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export async function connectControl(dataDir) {
  const socket = connect(join(dataDir, 'control.sock'));
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  const waiting = new Map();
  let id = 0;
  createInterface({ input: socket }).on('line', (line) => {
    const answer = JSON.parse(line);
    const { resolve, reject } = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (answer.error) reject(new Error(`${answer.error.code}: ${answer.error.message}`));
    else resolve(answer.result);
  });
  return {
    command(command, params) {
      id += 1;
      socket.write(`${JSON.stringify({ id, command, params })}\n`);
      return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
    },
    /** Writes in a local chat as the person; resolves when the message is on the disk. */
    say(accountId, text) {
      return this.command('local-send', { accountId, text });
    },
    close: () => socket.destroy(),
  };
}
