import { fork } from 'node:child_process';

/** The keychain's process as its user sees it. */
export interface KeychainWorker {
  post(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Called once, however it ended; also when it never began. */
  onExit(listener: () => void): void;
  /** Ends it at once, whatever it is doing. */
  kill(): void;
  /** Whether this process has to stay for the worker's sake. */
  keepParentAlive(keep: boolean): void;
}

/** Starts the process. A port, because Electron has its own way (`utilityProcess`) that its security settings leave open. */
export type SpawnWorker = () => KeychainWorker;

/** Our own variables may hold a passphrase, which the worker has no use for. */
const OWN_VARIABLES = 'XAGENT_CONNECTOR_';

/** The environment that the worker is given. */
export function workerEnv(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith(OWN_VARIABLES)));
}

/** Starts the worker script with Node's own means. */
export function forkWorker(script: string): SpawnWorker {
  return () => {
    // Its output is the keychain libraries' chatter.
    const child = fork(script, [], {
      env: workerEnv(),
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    return {
      // A message to a process that is just ending is lost; its exit is what counts.
      post: (message) => void child.send(message as object, () => undefined),
      onMessage: (listener) => void child.on('message', listener),
      onExit: (listener) => {
        let told = false;
        const once = (): void => {
          if (!told) listener();
          told = true;
        };
        child.on('exit', once);
        child.on('error', once);
      },
      kill: () => void child.kill('SIGKILL'),
      keepParentAlive: (keep) => {
        if (keep) child.ref();
        else child.unref();
        const channel = child.channel;
        if (keep) channel?.ref();
        else channel?.unref();
      },
    };
  };
}
