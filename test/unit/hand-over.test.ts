import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

const HAND_OVER = pathToFileURL('scripts/hand-over.mjs').href;
const PROGRAM = `process.on('SIGTERM', () => { console.log('stopped'); process.exit(0); });
  setInterval(() => {}, 1000); console.log('running');`;
const START = `import { handOver } from ${JSON.stringify(HAND_OVER)};
  handOver(process.execPath, ['-e', process.env.PROGRAM]);`;

it.runIf(process.platform !== 'win32')(
  'a program that npm started ends with the shell that npm ran it in, which says nothing when it dies',
  async () => {
    const env = { ...process.env, npm_lifecycle_event: 'start', START, PROGRAM, NODE: process.execPath };
    // What follows keeps every shell from making way for the one command.
    const shell = spawn('sh', ['-c', '"$NODE" --input-type=module -e "$START"; :'], {
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines: string[] = [];
    const output = createInterface({ input: shell.stdout }).on('line', (line) => {
      lines.push(line);
      if (line === 'running') shell.kill('SIGTERM');
    });
    try {
      await once(output, 'close', { signal: AbortSignal.timeout(10_000) });
      expect(lines).toEqual(['running', 'stopped']);
    } finally {
      if (!lines.includes('stopped')) process.kill(-(shell.pid ?? 0), 'SIGKILL');
    }
  },
);
