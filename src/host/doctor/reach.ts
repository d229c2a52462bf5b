import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { connect } from 'node:net';
import { errorCode } from '../../base/error-code.js';
import { bareHost } from '../../base/loopback.js';
import { ProxyError } from '../../base/proxy/proxy-error.js';
import { portOf, type WayOut } from '../../base/proxy/way-out.js';

/** A network that has not answered by then counts as unreachable; milliseconds. */
const REACH_DEADLINE_MS = 8_000;
const OVERDUE = Object.assign(new Error('no answer in time'), { code: 'TimeoutError' });

export interface Reached {
  readonly answered: boolean;
  /** What it answered, or why it did not: an HTTP status, the system's code, or a {@link ProxyError}'s. */
  readonly code: string;
  /** What a proxy said that refused. */
  readonly refusal?: string | undefined;
  /** What it says the time is, Unix ms. */
  readonly time: number | undefined;
}

/** Whether somebody answers at an address, by the way its network takes; never throws, and takes {@link REACH_DEADLINE_MS} at most. */
export async function reach(url: URL, wayOut: WayOut): Promise<Reached> {
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:';
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), REACH_DEADLINE_MS);
  const overdue = once(late.signal, 'abort').then(() => {
    throw OVERDUE;
  });
  try {
    return await Promise.race([overdue, (isWeb ? reachWeb : reachPort)(url, wayOut, late.signal)]);
  } catch (error) {
    const refusal = error instanceof ProxyError ? error.answer : undefined;
    return {
      answered: false,
      code: errorCode(error) ?? (error instanceof Error ? error.name : 'unknown'),
      refusal,
      time: undefined,
    };
  } finally {
    clearTimeout(timer);
  }
}

/** A service that speaks no HTTP: it answers when it takes a connection. */
async function reachPort(url: URL, wayOut: WayOut, late: AbortSignal): Promise<Reached> {
  const socket = (await wayOut.tunnel(url)) ?? connect({ host: bareHost(url.hostname), port: portOf(url) });
  const end = (): void => void socket.destroy();
  late.addEventListener('abort', end, { once: true });
  try {
    if (late.aborted) throw OVERDUE;
    if (socket.connecting) await once(socket, 'connect');
    return { answered: true, code: 'open', time: undefined };
  } finally {
    end();
  }
}

function reachWeb(url: URL, wayOut: WayOut, late: AbortSignal): Promise<Reached> {
  const secure = url.protocol === 'https:';
  return new Promise((resolve, reject) => {
    const request = (secure ? https : http).get(url, { agent: wayOut.agent(secure) }, (answer) => {
      const time = Date.parse(answer.headers.date ?? '');
      const code = String(answer.statusCode ?? 0);
      answer.destroy();
      resolve({ answered: true, code, time: Number.isNaN(time) ? undefined : time });
    });
    request.on('error', reject);
    late.addEventListener('abort', () => request.destroy(), { once: true });
  });
}
