import { describeError } from '../base/errors.js';
import type { CommandName, ResultOf, Snapshot } from '../bridge/index.js';
import { SUBSCRIBE } from '../bridge/index.js';
import { isRecord } from '../targets/json-fields.js';
import { CommandError } from './command-error.js';
import { connectTo } from './control-endpoint.js';
import { jsonLine, readJsonLines } from './json-lines.js';

/** Longest answer: a snapshot of many accounts, or a full list of messages. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
/** The host is on this machine and answers commands at once, save those that talk to a network; milliseconds. */
const ANSWER_DEADLINE_MS = 60_000;

/** No host runs on this data directory, or it ended meanwhile. */
export class HostUnreachableError extends Error {
  override readonly name = 'HostUnreachableError';
}

/** The running host of a data directory, from another process. */
export interface ControlClient {
  /** @throws CommandError when the host refuses; HostUnreachableError when it is gone */
  call<C extends CommandName>(command: C, params?: Readonly<Record<string, unknown>>): Promise<ResultOf<C>>;
  /** Snapshots from now on, the present one first. */
  subscribe(onSnapshot: (snapshot: Snapshot) => void): Promise<void>;
  close(): void;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

/** Finds and connects to the running host of a data directory. @throws HostUnreachableError */
export async function connectControl(dataDir: string): Promise<ControlClient> {
  const socket = await open(dataDir);
  const waiting = new Map<number, Waiting>();
  let onSnapshot: ((snapshot: Snapshot) => void) | undefined;
  let nextId = 1;

  readJsonLines(socket, MAX_LINE_BYTES, (value) => {
    if (!isRecord(value)) return;
    if (value['event'] === 'snapshot') {
      // The other end is the same build as we are, or one that speaks the same contract.
      onSnapshot?.(value['snapshot'] as Snapshot);
      return;
    }
    const id = value['id'];
    const entry = typeof id === 'number' ? waiting.get(id) : undefined;
    if (entry === undefined || typeof id !== 'number') return;
    waiting.delete(id);
    clearTimeout(entry.timer);
    if (isRecord(value['error'])) entry.reject(refusal(value['error']));
    else entry.resolve(value['result']);
  });
  socket.on('error', () => socket.destroy());
  socket.once('close', () => {
    for (const entry of waiting.values()) {
      clearTimeout(entry.timer);
      entry.reject(new HostUnreachableError('the host ended'));
    }
    waiting.clear();
  });

  function request(command: string, params?: Readonly<Record<string, unknown>>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (!socket.writable) {
        reject(new HostUnreachableError('the host ended'));
        return;
      }
      const id = nextId++;
      const timer = setTimeout(() => {
        waiting.delete(id);
        reject(new HostUnreachableError('the host did not answer in time'));
      }, ANSWER_DEADLINE_MS);
      waiting.set(id, { resolve, reject, timer });
      socket.write(jsonLine(params === undefined ? { id, command } : { id, command, params }));
    });
  }

  return {
    call: async <C extends CommandName>(command: C, params?: Readonly<Record<string, unknown>>) =>
      (await request(command, params)) as ResultOf<C>,
    async subscribe(fn) {
      onSnapshot = fn;
      await request(SUBSCRIBE);
    },
    close: () => socket.destroy(),
  };
}

function open(dataDir: string): Promise<ReturnType<typeof connectTo>> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void =>
      reject(new HostUnreachableError(`no host runs on this data directory (${describeError(error)})`));
    try {
      const socket = connectTo(dataDir);
      socket.once('error', fail);
      socket.once('connect', () => {
        socket.removeListener('error', fail);
        resolve(socket);
      });
    } catch (error) {
      fail(error);
    }
  });
}

function refusal(error: Readonly<Record<string, unknown>>): CommandError {
  const { code, message } = error;
  return new CommandError(
    typeof code === 'string' ? code : 'internal_error',
    typeof message === 'string' ? message : '',
  );
}
