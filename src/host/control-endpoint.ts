import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { PRIVATE_FILE_MODE } from '../store/private-mode.js';

/** The socket in the data directory by which the command line finds the running host. */
const SOCKET_FILE = 'control.sock';
/** Windows has no sockets in folders: the pipe's random name stands in this file, which only its owner can read. */
const PIPE_FILE = 'control-pipe.txt';

/** Address bytes that every system takes (macOS 103, Linux 107). A longer path is reached from within its folder. */
const MAX_ADDRESS_BYTES = 100;
const PIPE_NAME_BYTES = 16;

/**
 * Lets a server listen at the control address of a data directory, which this process must have locked: whatever
 * another life left there is removed.
 */
export function listenAt(server: Server, dataDir: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    const listening = (): void => {
      server.removeListener('error', reject);
      if (process.platform !== 'win32') chmodSync(join(dataDir, SOCKET_FILE), PRIVATE_FILE_MODE);
      resolve();
    };
    if (process.platform === 'win32') {
      const pipe = `\\\\.\\pipe\\xagent-connector-${randomBytes(PIPE_NAME_BYTES).toString('hex')}`;
      writeFileSync(join(dataDir, PIPE_FILE), pipe, { mode: PRIVATE_FILE_MODE });
      server.listen(pipe, listening);
    } else {
      rmSync(join(dataDir, SOCKET_FILE), { force: true });
      atSocket(dataDir, (path) => server.listen(path, listening));
    }
  });
}

/** Connects to the control address of a data directory. @throws what reading the pipe's name throws (nobody listens) */
export function connectTo(dataDir: string): Socket {
  if (process.platform === 'win32') return connect(readFileSync(join(dataDir, PIPE_FILE), 'utf8').trim());
  return atSocket(dataDir, (path) => connect(path));
}

/** Stops listening and removes the address. */
export function closeAt(server: Server, dataDir: string): void {
  if (process.platform === 'win32') {
    server.close();
    rmSync(join(dataDir, PIPE_FILE), { force: true });
  } else {
    // Closing removes the socket by the path it was bound with, so it happens in the same folder.
    atSocket(dataDir, () => server.close());
    rmSync(join(dataDir, SOCKET_FILE), { force: true });
  }
}

/**
 * Calls `fn` with a path for the socket that fits a socket address. Binding and connecting happen inside the call, so
 * for a data directory with a long path this process steps into it for that moment.
 */
function atSocket<T>(dataDir: string, fn: (path: string) => T): T {
  const path = join(dataDir, SOCKET_FILE);
  if (Buffer.byteLength(path) <= MAX_ADDRESS_BYTES) return fn(path);
  const before = workingDirectory();
  process.chdir(dataDir);
  try {
    return fn(SOCKET_FILE);
  } finally {
    process.chdir(before);
  }
}

/** Where we are; the root when that folder was deleted under us. */
function workingDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return '/';
  }
}
