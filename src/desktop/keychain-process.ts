import { utilityProcess } from 'electron';
import { workerEnv, type SpawnWorker } from '../store/secrets/index.js';

/**
 * Starts the keychain's process as one of Electron's own: packaged programs can't be started as plain Node (a fuse of theirs
 * forbids it), and this one can be killed while it hangs in the keychain.
 * @param script the bundle of the worker, absolute
 */
export function utilityWorker(script: string): SpawnWorker {
  return () => {
    const child = utilityProcess.fork(script, [], { env: workerEnv(), stdio: 'ignore', serviceName: 'keychain' });
    let ended = false;
    child.on('exit', () => (ended = true));
    return {
      post(message) {
        if (!ended) child.postMessage(message);
      },
      onMessage: (listener) => void child.on('message', listener),
      onExit: (listener) => void child.on('exit', () => listener()),
      kill() {
        // Its own `kill` asks; a process that hangs in the keychain does not hear.
        if (child.pid !== undefined) killHard(child.pid);
        else child.kill();
      },
      // The program stays until it is told to quit.
      keepParentAlive: () => undefined,
    };
  };
}

function killHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended meanwhile.
  }
}
