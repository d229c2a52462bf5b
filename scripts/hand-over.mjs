import { spawn } from 'node:child_process';
import { clearInterval, setInterval } from 'node:timers';

/** How often it is looked whether the shell that runs this is still there, milliseconds. The program has five seconds to end. */
const LOOK_MS = 250;

/** At the start, before anything that takes time. */
const shell = process.ppid;

/** Runs the program in our place: its signals are ours, its exit code too. */
export function handOver(command, args, env = process.env) {
  const child = spawn(command, args, { stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  if (env.npm_lifecycle_event !== undefined) endWithShell(child);
  child.once('error', (error) => {
    console.error(`npm start: ${error.message}`);
    process.exit(1);
  });
  child.once('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 1));
}

/** npm gives a SIGTERM to the shell in which it runs us; a shell that dies of it tells nobody, and the program would stay behind. */
function endWithShell(child) {
  const look = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(look);
    child.kill('SIGTERM');
  }, LOOK_MS);
}
