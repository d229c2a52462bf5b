import { connect } from 'node:net';

/** A network that has not answered by then counts as unreachable; milliseconds. */
const REACH_DEADLINE_MS = 8_000;

export interface Reached {
  readonly answered: boolean;
  /** What it answered, or why it did not: an HTTP status, or the system's code. */
  readonly code: string;
  /** What it says the time is, Unix ms. */
  readonly time: number | undefined;
}

/** Whether somebody answers at an address; never throws, and takes {@link REACH_DEADLINE_MS} at most. */
export function reach(root: string): Promise<Reached> {
  const url = new URL(root);
  return url.protocol === 'http:' || url.protocol === 'https:' ? reachWeb(root) : reachPort(url);
}

/** Where a service without a port in its address listens. */
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'xmpp:': 5222, 'xmpps:': 5223, 'ws:': 80, 'wss:': 443 };

/** A service that speaks no HTTP: it answers when it takes a connection. */
function reachPort({ protocol, hostname, port }: URL): Promise<Reached> {
  return new Promise((resolve) => {
    const host = hostname.replace(/^\[|\]$/g, '');
    const socket = connect({ host, port: port === '' ? (DEFAULT_PORTS[protocol] ?? 0) : Number(port) });
    const end = (answered: boolean, code: string): void => {
      socket.destroy();
      resolve({ answered, code, time: undefined });
    };
    socket.setTimeout(REACH_DEADLINE_MS, () => end(false, 'TimeoutError'));
    socket.once('connect', () => end(true, 'open'));
    socket.once('error', (error) => end(false, failureCode(error)));
  });
}

async function reachWeb(root: string): Promise<Reached> {
  try {
    const response = await fetch(root, { redirect: 'manual', signal: AbortSignal.timeout(REACH_DEADLINE_MS) });
    await response.body?.cancel();
    const time = Date.parse(response.headers.get('date') ?? '');
    return { answered: true, code: String(response.status), time: Number.isNaN(time) ? undefined : time };
  } catch (error) {
    return { answered: false, code: failureCode(error), time: undefined };
  }
}

function failureCode(error: unknown): string {
  const cause: unknown = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') return cause.code;
  return cause instanceof Error ? cause.name : 'unknown';
}
